import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "../processes/children.ts"

/** It changes rows alone, each in one statement or transaction. */
const rows = undefined

/**
 * What shows that another replica ends what a job has begun when its process is killed in the middle. A job without a
 * row here fails.
 */
const stories: Readonly<Record<string, string | undefined>> = {
  sweep_onboardings: "domain/test/sweeps.crash.test.ts",
  sweep_mints: "domain/test/sweeps.crash.test.ts",
  sweep_members: "domain/test/sweeps.crash.test.ts",
  sweep_rotations: "domain/test/credentials/rotate.faults.test.ts",
  sweep_ended_agents: "domain/test/sweeps.crash.test.ts",
  sweep_tokens: rows,
  // One call, which may be made again, and its row under a lease.
  revoke_console_sessions: "domain/test/console/sessions.test.ts",
  prune_console_sessions: rows,
  rotate_registry_keys: rows,
  prune_events: rows,
  record_lost_agent_calls: rows,
  prune_idempotency_keys: rows,
  prune_agent_plans: rows,
  reconcile_purges: "domain/test/projects/crash.test.ts",
  reconcile_accounts: "domain/test/accounts/faults.test.ts",
  reconcile_autoscaling: "domain/test/autoscaling/faults.test.ts",
  // It reads measurements, and its events are rows.
  reconcile_alarms: rows,
  reconcile_exposures: "domain/test/sweeps.crash.test.ts",
  sweep_edge: "domain/test/sweeps.crash.test.ts",
  sweep_schedules: "domain/test/databases/sweep.test.ts",
  fold_usage: rows,
  // A delivery whose answer is lost is sent again under the same id.
  send_events: "gateway/test/targets/webhooks.integration.test.ts",
  count_deliveries: rows,
  give_up_deliveries: rows,
  prune_deliveries: rows,
  relay_billing: "domain/test/money/relay.test.ts",
  alert_budgets: "domain/test/money/breaches.test.ts",
  // Each of its writes says all that there is, and may be made again at any time, whatever became of the one before.
  reconcile_ledger: "domain/test/money/reconcile.test.ts",
  relay_kafka: "domain/test/bus/relay.test.ts"
}

const packages = join(repository, "packages")

it("every background job has a story with a killed process, or changes rows alone", () => {
  const jobs = readFileSync(join(packages, "gateway/src/jobs/Jobs.ts"), "utf8").matchAll(/\bjob\(\{ name: "(\w+)"/g)
  assert.sameMembers(
    [...jobs].map(([, name]) => name),
    Object.keys(stories)
  )
  for (const story of new Set(Object.values(stories))) {
    if (story === undefined) continue
    const text = readFileSync(join(packages, story), "utf8")
    assert.match(text, /inDyingProcess|inMortalProcess|is killed|faultsOf|is taken over/, story)
  }
})
