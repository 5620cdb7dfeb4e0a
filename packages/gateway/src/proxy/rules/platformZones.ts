import { Forbidden } from "@portico/contract/Failures"
import type { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { Effect } from "effect"
import { memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

/**
 * No tenant owns a zone in the platform's own namespace or above it (contract, DNS), or one of everybody's, however it is requested. A zone
 * file names its zone itself, so an import is refused. A transferred zone was created by one of the two projects.
 */
export const platformZones = ({ refusalOf }: DnsSettings["Service"]) =>
  ruleAt({
    at: (call) => entryPointOf(call),
    reads: (entryPoint) => (entryPoint === "file" ? "head" : "body"),
    check: (entryPoint, call, body) => {
      if (entryPoint === "file") return Forbidden.zoneFileProxied()
      const name = memberOf(body, "name")
      return (typeof name === "string" ? refusalOf(name) : undefined) ?? Effect.void
    }
  })

const entryPointOf = ({ caller, method, segments, service }: ConcernedCall): "zone" | "file" | undefined => {
  if (caller.admin || service !== "dns" || method !== "POST") return undefined
  const [first, second, third, ...rest] = segments.filter((_) => _ !== "").map(word)
  if (first !== "zones") return undefined
  if (second === undefined) return "zone"
  return second === "tasks" && third === "imports" && rest.length === 0 ? "file" : undefined
}
