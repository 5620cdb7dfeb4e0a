import { Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { harmless } from "../../output/sanitize.ts"
import type { Portico } from "../../Portico.ts"

const uuid = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i

/** The id and the name of a zone that a person names by either. */
export const zoneOf = Effect.fnUntraced(function* ({ use }: Portico, given: string) {
  if (uuid.test(given)) return yield* use((_, signal) => _.dns.showZone({ zone_id: given }, { signal }))
  const { zones } = yield* use((_, signal) => _.dns.zones({ name: given }, { signal }))
  const [zone] = zones
  if (zone !== undefined) return zone
  return yield* new CliFailure({
    exit: "notFound",
    message: `There is no zone '${harmless(given)}'`,
    hint: "List the zones with: portico dns zones"
  })
})
