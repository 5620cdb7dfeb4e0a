import { whens } from "@portico/testing/faults/calls"
import { sampled } from "@portico/testing/sample/sampled"
import type { Fault } from "@portico/simulator/Fault"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pass } from "@portico/testing/store/Aging"
import { eventually } from "../processes/children.ts"
import {
  calls,
  clearFaults,
  cloudState,
  fault,
  type Gateway,
  reached,
  startGateway,
  story,
  tenantOf,
  twoGateways
} from "../processes/harness.ts"

const relays = { BILLING_RELAY_SECONDS: "1" }

const batches = { service: "billing", method: "POST", path: "/v1/events" } as const

const volume = (gateway: Gateway, token: string) =>
  Effect.map(gateway.customer(token, "POST", "/v1/iaas/volume/volumes", { volume: { size: 1 } }), ({ status }) =>
    assert.strictEqual(status, 202)
  )

/** The ledger has what the log has, each once. */
const arrived = (count: number) =>
  eventually(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Effect.orDie(
        sql<{ id: string }>`SELECT id FROM events WHERE topic = 'billing.lifecycle' ORDER BY sequence`
      )
      const ledger = ((yield* cloudState)["billing.events"] ?? []) as ReadonlyArray<{ readonly id: string }>
      assert.lengthOf(log, count)
      assert.deepStrictEqual(
        ledger.map((_) => _.id),
        log.map((_) => _.id)
      )
    })
  )

for (const when of sampled("relays", 1, whens)) {
  story(`a relay killed ${when} a batch's effect is replaced by another, and everything arrives once`, () =>
    Effect.gen(function* () {
      const first = yield* startGateway(relays)
      const { token } = yield* tenantOf(first, "Acme GmbH")
      yield* volume(first, token)
      yield* arrived(1)
      const hang: Fault = { ...batches, when, as: "hang" }
      yield* fault(hang)
      yield* volume(first, token)
      yield* volume(first, token)
      yield* reached(hang)
      yield* first.kill
      yield* clearFaults

      const second = yield* startGateway(relays)
      yield* volume(second, token)
      yield* pass("31 seconds")
      yield* arrived(4)
    })
  )
}

story("two concurrent relays deliver everything once and in order", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways(relays)
    const { token } = yield* tenantOf(first, "Acme GmbH")
    yield* fault({ ...batches, times: "always", when: "after", as: { delay_ms: 300 } })
    for (let round = 0; round < 4; round++) {
      yield* Effect.all([volume(first, token), volume(second, token)], { concurrency: 2 })
      yield* Effect.sleep("400 millis")
    }
    yield* arrived(8)
    const sent = yield* calls(batches)
    const overlapping = sent.filter((_, index) => index > 0 && _.at < (sent[index - 1]?.at ?? 0) + 300)
    assert.deepStrictEqual(overlapping, [])
  })
)
