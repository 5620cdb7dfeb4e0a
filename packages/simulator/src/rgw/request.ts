import { Result } from "effect"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import { refuse, type Step } from "./errors.ts"
import { signer } from "./signature.ts"
import type { RgwState, RgwUser } from "./state.ts"

export interface Request {
  readonly incoming: Incoming
  readonly query: URLSearchParams
  readonly rgw: RgwState
}

export type Operation = (request: Request) => Step<Answer>

/** Whether a user's capability reaches that far: `*` is both, and so is `read, write`. */
const holds = ({ caps }: RgwUser, type: string, needed: "read" | "write"): boolean =>
  caps.some((_) => _.type === type && (_.perm === "*" || _.perm.split(/, ?/).includes(needed)))

/** A route for signed requests of users with a capability; without it the refusal is that of a wrong path. */
export const capable =
  (type: "users" | "buckets" | "usage", needed: "read" | "write", operation: Operation): Handler =>
  (incoming) =>
    Result.merge(
      Result.gen(function* () {
        const user = yield* signer(incoming)
        if (!holds(user, type, needed)) return yield* refuse("AccessDenied")
        return yield* operation({ incoming, query: incoming.query, rgw: incoming.world.rgw })
      })
    )

/** Dispatch by sub-resource, a flag in the query: `?quota`, `?key`. */
export const bySubresource =
  (subresources: Readonly<Record<string, Operation>>, otherwise: Operation): Operation =>
  (request) => {
    const flag = Object.keys(subresources).find((_) => request.query.has(_))
    return (flag === undefined ? otherwise : (subresources[flag] ?? otherwise))(request)
  }

/** What a client names is looked for among the entries alone, never in the record's prototype. */
export const entry = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Users are named by `uid` alone; `tenant` is read by the create. */
export const userOf = ({ query, rgw }: Request): Step<RgwUser> => {
  const uid = query.get("uid") ?? ""
  if (uid === "") return refuse("InvalidArgument")
  const user = entry(rgw.users, uid)
  return user === undefined ? refuse("NoSuchUser") : Result.succeed(user)
}

export const flagAt = (query: URLSearchParams, name: string): boolean | undefined => {
  const value = query.get(name)?.toLowerCase()
  return value === undefined ? undefined : ["true", "1", "yes", "on"].includes(value)
}

/** What cannot be read as a number is 0, and nobody says so. */
export const numberIn = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name)
  if (value === null) return undefined
  return /^-?\d+$/.test(value) ? Number(value) : 0
}

/** JSON that says of itself nothing: successful user operations carry no Content-Type. */
export const untyped = (body: unknown): Answer => ({ status: 200, headers: {}, body: JSON.stringify(body) })

export const done: Answer = { status: 200, headers: {}, body: "" }
