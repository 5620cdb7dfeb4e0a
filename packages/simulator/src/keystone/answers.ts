import { randomUUID } from "node:crypto"
import { type Answer, type Incoming, originOf } from "../Wire.ts"
import { keystoneError, scoped } from "./scope.ts"
import type { Scope } from "./state.ts"

export const notFound = (kind: string, id: string) => keystoneError(404, "Not Found", `Could not find ${kind}: ${id}.`)
export const forbidden = (action: string) =>
  keystoneError(403, "Forbidden", `You are not authorized to perform the requested action: ${action}.`)

/** Every management call is for administrators; a tenant's token gets a 403 before any lookup. */
export const admin = (action: string, handler: (incoming: Incoming, scope: Scope) => Answer) =>
  scoped((incoming, scope) => (scope.admin ? handler(incoming, scope) : forbidden(action)))

/** The base of Keystone's links. */
export const baseOf = (incoming: Incoming): string => `${originOf(incoming)}/identity/v3`

/** A list's `self` link has the query as it was sent. */
export const linksOf = (incoming: Incoming) => {
  const [, query] = incoming.target.split("?")
  const self = `${baseOf(incoming)}${incoming.path.replace("/v3", "")}${query === undefined ? "" : `?${query}`}`
  return { self, previous: null, next: null }
}

/** The link of the tags is the API's root. */
export const tagLinks = (incoming: Incoming) => ({ self: baseOf(incoming) })

export const newId = (): string => randomUUID().replaceAll("-", "")
