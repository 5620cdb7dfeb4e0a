import { randomUUID } from "node:crypto"
import type { Answer, Incoming } from "../Wire.ts"
import { keystoneError, scoped } from "./scope.ts"
import type { Scope } from "./state.ts"

export const notFound = (kind: string, id: string) => keystoneError(404, "Not Found", `Could not find ${kind}: ${id}.`)
export const forbidden = (action: string) =>
  keystoneError(403, "Forbidden", `You are not authorized to perform the requested action: ${action}.`)

/** Every management call is for administrators; a tenant's token gets 403 and learns nothing. */
export const admin = (action: string, handler: (incoming: Incoming, scope: Scope) => Answer) =>
  scoped((incoming, scope) => (scope.admin ? handler(incoming, scope) : forbidden(action)))

/** Where clients find this API, as Keystone spells its links. */
export const baseOf = ({ headers }: Incoming): string => `http://${headers["host"] ?? "localhost"}/identity/v3`

/** A list names itself with the query as it was sent. */
export const linksOf = (incoming: Incoming) => {
  const [, query] = incoming.target.split("?")
  const self = `${baseOf(incoming)}${incoming.path.replace("/v3", "")}${query === undefined ? "" : `?${query}`}`
  return { self, previous: null, next: null }
}

/** Of tags alone, the link is that of the whole API. */
export const tagLinks = (incoming: Incoming) => ({ self: baseOf(incoming) })

export const newId = (): string => randomUUID().replaceAll("-", "")
