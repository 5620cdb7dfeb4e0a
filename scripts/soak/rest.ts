import { Effect } from "effect"
import { listAt, textAt } from "./client.ts"
import { type Load, operatorToken } from "./load/tenant.ts"
import type { Stage } from "./stage/stage.ts"

const sent = { area: "the end", plane: "operator", token: operatorToken } as const

/** What is under way, in words. Nothing once the gateways have had the time to finish or to undo it. */
export const underWay = ({ database: { sql } }: Stage) =>
  Effect.gen(function* () {
    const words = yield* sql<{ readonly words: string }>`
      SELECT 'the onboarding of ' || slug || ' is ' || state || coalesce(': ' || failure, '') AS words
        FROM onboardings WHERE state <> 'resting'
      UNION ALL
      SELECT 'the deletion of ' || project_id || ' is ' || state || coalesce(': ' || failure, '')
        FROM purges WHERE lease_ends IS NOT NULL
      UNION ALL
      SELECT 'the credential ' || credential_id || ' is ' || state FROM credentials WHERE state = 'minting'
      UNION ALL
      SELECT 'the tier of ' || slug || ' is being moved to ' || pending_tier FROM tenants WHERE pending_tier IS NOT NULL
      UNION ALL
      SELECT 'the exposure ' || exposure_id || ' is being removed' FROM edge_exposures WHERE removing IS NOT NULL
      UNION ALL
      SELECT 'the lease ' || name || ' is held' FROM leases WHERE lease_ends > now()
      UNION ALL
      SELECT count(*) || ' deliveries to ' || target_id || ' wait'
        FROM deliveries WHERE state = 'pending' GROUP BY target_id
      UNION ALL
      SELECT 'events were not relayed to ' || r.topic FROM relays r
        WHERE r.topic = 'billing.lifecycle'
        AND r.position < (SELECT max(sequence) FROM events WHERE topic = 'billing.lifecycle')`
    return words.map((_) => _.words)
  })

/** Asks again for what an operator has to ask for again: tier moves that stopped half way, and stuck onboardings. */
const nudged = Effect.fnUntraced(function* (load: Load) {
  const shown = yield* load.client.call("GET", "/v1/tenants?limit=1000", sent)
  for (const tenant of listAt(shown.json, "tenants")) {
    const tier = textAt(tenant, "pending_tier")
    const path = `/v1/tenants/${textAt(tenant, "project_id")}`
    if (tier === "suspended") yield* load.client.call("POST", `${path}/suspend`, sent)
    else if (tier !== "") yield* load.client.call("POST", `${path}/tier`, { ...sent, body: { tier } })
  }
  const journal = yield* load.client.call("GET", "/v1/journal", sent)
  for (const row of listAt(journal.json, "onboardings")) {
    if (textAt(row, "state") === "stuck")
      yield* load.client.call("POST", `/v1/journal/${textAt(row, "attempt_id")}/retry`, sent)
  }
})

/** Waits until nothing is under way; answers what still is after so many seconds. */
export const atRest = Effect.fnUntraced(function* (stage: Stage, load: Load, seconds: number) {
  const until = performance.now() + seconds * 1000
  let left: ReadonlyArray<string> = []
  for (let quiet = 0; quiet < 3 && performance.now() < until;) {
    left = yield* underWay(stage)
    quiet = left.length === 0 ? quiet + 1 : 0
    if (left.length > 0) yield* nudged(load)
    yield* Effect.sleep("2 seconds")
  }
  return left
})

/** Deletes every tenant; answers whether all are gone. */
export const emptied = Effect.fnUntraced(function* (stage: Stage, load: Load, seconds: number) {
  const { sql } = stage.database
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const rows = yield* sql<{ readonly project_id: string; readonly slug: string; readonly account_n: number | null }>`
      SELECT project_id, slug, account_n FROM tenants`
    if (rows.length === 0) return true
    for (const { account_n, project_id, slug } of rows) {
      const asked = yield* load.client.call("DELETE", `/v1/projects/${project_id}?confirm=${slug}`, sent)
      // An account that is closing is ended as a whole.
      if (asked.status === 409 && account_n !== null)
        yield* load.client.call("POST", `/v1/tenants/accounts/${account_n}/finalize`, {
          ...sent,
          body: { reason: "the end" }
        })
    }
    yield* Effect.sleep("4 seconds")
  }
  return false
})
