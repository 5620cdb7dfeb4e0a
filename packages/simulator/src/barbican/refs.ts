import { Result } from "effect"
import { entry, type JsonObject } from "../Json.ts"
import { type Incoming, originOf, type Step } from "../Wire.ts"
import { refuse } from "./answers.ts"
import type { Request } from "./policy.ts"

export const hostHref = (incoming: Incoming): string =>
  incoming.world.barbican.hostHref || `${originOf(incoming)}/key-manager`

type Kind = "secrets" | "containers" | "orders"

export const refOf = (incoming: Incoming, kind: Kind, id: string): string => `${hostHref(incoming)}/v1/${kind}/${id}`

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Kinds with another name in their 404. */
const kindNames: Readonly<Record<string, string>> = { Container: "Secrets container" }

/** A resource by the `:id` of the route, in any project: the policy checks its owner. */
export const find = <A>(request: Request, things: Readonly<Record<string, A>>, kind: string): Step<A> => {
  const id = request.incoming.params["id"] ?? ""
  if (!uuid.test(id)) return refuse(404, `Not Found. Provided ${kind.toLowerCase()} id is invalid.`)
  const thing = entry(things, id)
  return thing === undefined ? refuse(404, `${kindNames[kind] ?? kind} not found.`) : Result.succeed(thing)
}

/** `default_limit_paging` and `max_limit_paging`. */
const defaultLimit = 10
const maxLimit = 100

/** A number of the query; any other value reads as absent. */
const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d+$/.test(text) ? Number(text) : undefined

/**
 * A page, oldest first, under the name of its kind.
 * @param path the list's path below `/v1/`
 */
export const pageOf = ({ incoming }: Request, name: string, path: string, all: ReadonlyArray<unknown>): JsonObject => {
  const offset = numberOf(incoming.query.get("offset")) ?? 0
  const asked = incoming.query.get("limit") ?? ""
  // A number below 1 is read as 1.
  const limit = Math.min(/^-?\d+$/.test(asked) ? Math.max(1, Number(asked)) : defaultLimit, maxLimit)
  const href = (at: number) => `${hostHref(incoming)}/v1/${path}?limit=${limit}&offset=${at}`
  return {
    [name]: all.slice(offset, offset + limit),
    ...(offset > 0 && offset < all.length ? { previous: href(Math.max(0, offset - limit)) } : {}),
    ...(all.length > offset + limit ? { next: href(offset + limit) } : {}),
    total: all.length
  }
}

/** Oldest first; resources of the same time are ordered by id. */
export const oldestFirst = (
  a: { readonly id: string; readonly created: number },
  b: { readonly id: string; readonly created: number }
): number => a.created - b.created || (a.id < b.id ? -1 : 1)
