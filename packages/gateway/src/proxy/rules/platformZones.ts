import { Forbidden } from "@portico/contract/Failures"
import type { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { Effect, Predicate } from "effect"
import { word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/**
 * No tenant owns a zone in the platform's own namespace or above it (contract, DNS), however it is requested. A zone
 * file names its zone itself, so an import is refused. A transferred zone was created by one of the two projects.
 */
export const platformZones = ({ isReserved }: DnsSettings["Service"]): Rule => ({
  concerns: (call) => {
    const entryPoint = entryPointOf(call)
    return entryPoint === undefined ? "nothing" : entryPoint === "file" ? "head" : "body"
  },
  check: Effect.fnUntraced(function* (call, body) {
    const entryPoint = entryPointOf(call)
    if (entryPoint === "file") return yield* Forbidden.zoneFileProxied()
    const name = entryPoint === "zone" && Predicate.isReadonlyObject(body) ? body["name"] : undefined
    if (typeof name === "string" && isReserved(name)) return yield* Forbidden.platformNamespace(name)
  })
})

const entryPointOf = ({ caller, method, segments, service }: PlatformCall): "zone" | "file" | undefined => {
  if (caller.admin || service !== "dns" || method !== "POST") return undefined
  const [first, second, third, ...rest] = segments.filter((_) => _ !== "").map(word)
  if (first !== "zones") return undefined
  if (second === undefined) return "zone"
  return second === "tasks" && third === "imports" && rest.length === 0 ? "file" : undefined
}
