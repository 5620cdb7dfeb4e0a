import { Predicate } from "effect"
import { memberOf, word } from "../acts/reading.ts"
import { iaasPrefix, stockPrefix } from "../requests/route.ts"
import type { PlatformCall } from "./rules/Rule.ts"

/**
 * Whether the body of a call names resources by gateway addresses where the service expects its own. This is the case
 * for a new container of Barbican, which rejects secret addresses that do not begin with its own.
 */
export const namesByAddress = ({ method, segments, service }: Pick<PlatformCall, "method" | "segments" | "service">) =>
  service === "key-manager" && method === "POST" && segments.length === 2 && word(segments[1]) === "containers"

/**
 * The body with the service's own addresses; the same bytes when there is nothing to change.
 *
 * @param own the gateway's address, without a trailing slash; both spellings of the services below it count
 * @param base the service's address
 */
export const withServiceAddresses = (body: Buffer, json: unknown, own: string, base: string): Buffer => {
  const refs = memberOf(json, "secret_refs")
  if (!Predicate.isReadonlyObject(json) || !Array.isArray(refs)) return body
  const prefixes = [iaasPrefix, stockPrefix].map((_) => `${own}${_}key-manager/`)
  const changed = refs.map((ref: unknown) => {
    if (!Predicate.isReadonlyObject(ref)) return ref
    const { secret_ref: address } = ref
    if (typeof address !== "string") return ref
    const prefix = prefixes.find((_) => address.startsWith(_))
    return prefix === undefined ? ref : { ...ref, secret_ref: `${base}/${address.slice(prefix.length)}` }
  })
  if (changed.every((ref, n) => ref === refs[n])) return body
  return Buffer.from(JSON.stringify({ ...json, secret_refs: changed }))
}
