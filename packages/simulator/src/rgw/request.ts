import { Result } from "effect"
import { entry } from "../Json.ts"
import type { Answer, Handler, Incoming, Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { signer } from "./signature.ts"
import type { RgwState, RgwUser } from "./state.ts"

export interface Request {
  readonly incoming: Incoming
  readonly query: URLSearchParams
  readonly rgw: RgwState
}

export type Operation = (request: Request) => Step<Answer>

/** Whether a user's capability includes the permission: `*` and `read, write` include both. */
const holds = ({ caps }: RgwUser, type: string, needed: "read" | "write"): boolean =>
  caps.some((_) => _.type === type && (_.perm === "*" || _.perm.split(/, ?/).includes(needed)))

/**
 * A route for signed requests of users with a capability; without the capability the refusal is a 403 like that
 * of a wrong path.
 */
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

/** Dispatches by sub-resource, a flag in the query: `?quota`, `?key`. */
export const bySubresource =
  (subresources: Readonly<Record<string, Operation>>, otherwise: Operation): Operation =>
  (request) => {
    const flag = Object.keys(subresources).find((_) => request.query.has(_))
    return (flag === undefined ? otherwise : (subresources[flag] ?? otherwise))(request)
  }

/** Only `uid` identifies a user; the create alone reads `tenant`. */
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

/** A value that is not a number reads as 0, without an error. */
export const numberIn = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name)
  if (value === null) return undefined
  return /^-?\d+$/.test(value) ? Number(value) : 0
}

/** JSON without a Content-Type, as successful user operations answer. */
export const untyped = (body: unknown): Answer => ({ status: 200, headers: {}, body: JSON.stringify(body) })

export const done: Answer = { status: 200, headers: {}, body: "" }
