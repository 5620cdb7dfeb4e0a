import type { IncomingHttpHeaders } from "node:http"
import { isFalse, isRead } from "../acts/reading.ts"

/**
 * Whether a tenant's call changes something and asks by its headers for other projects. They are never forwarded for a
 * tenant, so it would be done in the caller's own project: a deletion that was meant for another one would remove
 * something here. OpenStack refuses it too. The query's parameters are decided with the query.
 */
export const isMeantForOthers = (method: string, headers: IncomingHttpHeaders, own: string): boolean =>
  !isRead(method) &&
  (isAsked(headers["x-auth-all-projects"], isFalse) || sudo.some((name) => isAsked(headers[name], (_) => _ === own)))

/** Designate acts in the project of such a header. */
const sudo = ["x-auth-sudo-project-id", "x-auth-sudo-tenant-id"] as const

const isAsked = (value: string | ReadonlyArray<string> | undefined, isHarmless: (value: string) => boolean): boolean =>
  value !== undefined && ![value].flat().every((_) => _ === "" || isHarmless(_))
