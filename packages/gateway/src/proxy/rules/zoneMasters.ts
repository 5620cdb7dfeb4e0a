import { Forbidden } from "@portico/contract/Failures"
import type { Guard } from "@portico/upstream/delivery/Guard"
import { Effect } from "effect"
import { isIP } from "node:net"
import { isWrite, memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

/** More than any zone has: each is checked. */
const maxMasters = 50

/**
 * A secondary zone is transferred from its masters: the platform's name servers connect to any address and port that
 * a tenant names. So the addresses pass the same guard as webhook targets. A host name is refused, because Designate
 * resolves it again for every transfer.
 */
export const zoneMasters = ({ refusal }: Pick<Guard["Service"], "refusal">) =>
  ruleAt({
    at: (call) => namesMasters(call) || undefined,
    reads: () => "body",
    check: Effect.fnUntraced(function* (_, call, body) {
      const masters = memberOf(body, "masters")
      // Designate rejects anything but a list of strings.
      if (!Array.isArray(masters)) return
      if (masters.length > maxMasters) return yield* Forbidden.zoneMasters(maxMasters)
      for (const master of masters) {
        if (typeof master !== "string") continue
        const host = hostOf(master)
        const family = isIP(host)
        const refused = family === 0 || refusal(`https://${family === 6 ? `[${host}]` : host}/`) !== undefined
        if (refused) return yield* Forbidden.zoneMasters(master)
      }
    })
  })

const namesMasters = ({ caller, method, segments, service }: ConcernedCall): boolean =>
  !caller.admin && service === "dns" && isWrite(method) && word(segments[0]) === "zones" && segments.length <= 2

/** Designate takes the text before the first colon when a number follows it, and otherwise the whole text. */
const hostOf = (master: string): string => {
  const at = master.indexOf(":")
  return at >= 0 && /^\s*[+-]?\d[\d_]*\s*$/.test(master.slice(at + 1)) ? master.slice(0, at) : master
}
