import { Forbidden } from "@portico/contract/Failures"
import type { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { Effect, Predicate } from "effect"
import { word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/**
 * No zone within the platform's own namespace, or around it, is a tenant's
 * (contract, DNS), whichever way it is asked for. A zone file names its zone
 * itself, so that an import is refused; a zone that is given from one project
 * to another was made by one of them.
 */
export const platformZones = ({ isReserved }: DnsSettings["Service"]): Rule => ({
  concerns: (call) => {
    const door = doorOf(call)
    return door === undefined ? "nothing" : door === "file" ? "head" : "body"
  },
  check: Effect.fnUntraced(function* (call, body) {
    const door = doorOf(call)
    if (door === "file") return yield* Forbidden.zoneFileProxied()
    const name = door === "zone" && Predicate.isReadonlyObject(body) ? body["name"] : undefined
    if (typeof name === "string" && isReserved(name)) return yield* Forbidden.platformNamespace(name)
  })
})

const doorOf = ({ caller, method, segments, service }: PlatformCall): "zone" | "file" | undefined => {
  if (caller.admin || service !== "dns" || method !== "POST") return undefined
  const [first, second, third, ...rest] = segments.filter((_) => _ !== "").map(word)
  if (first !== "zones") return undefined
  if (second === undefined) return "zone"
  return second === "tasks" && third === "imports" && rest.length === 0 ? "file" : undefined
}
