import { sampled } from "@portico/testing/sample/sampled"
import type { Account } from "@portico/contract/Accounts"
import type { Fault } from "@portico/simulator/Fault"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { pass } from "@portico/testing/store/Aging"
import { eventually } from "../processes/children.ts"
import {
  Cloud,
  cloudState,
  fault,
  type Gateway,
  quiet,
  reached,
  startGateway,
  story,
  tables,
  tenantOf
} from "../processes/harness.ts"

const atOnce = { ACCOUNT_CLOSURE_DAYS: "0" }

/** Closes an account whose window is over at once, on a gateway whose first such call never gets an answer. */
const stuckAt = Effect.fnUntraced(function* (place: Fault) {
  const gateway = yield* startGateway(atOnce)
  const { projectId } = yield* tenantOf(gateway, "Acme GmbH")
  yield* fault(place)
  const path = `/v1/account/close?project=${projectId}`
  const { body, status } = yield* gateway.operator<Account>("POST", path, { confirm: "Acme GmbH" })
  assert.deepStrictEqual([status, body.state, body.window_days], [202, "closing", 0])
  yield* reached(place)
  return { gateway, projectId }
})

const rowOf = Effect.map(tables, (_) => _["accounts"]?.[0])

/** The account is destroyed, and nothing is left of it anywhere but its row. */
const destroyed = Effect.fnUntraced(function* (projectId: string) {
  assert.deepInclude(yield* rowOf, { state: "destroyed", destroyed_projects: [projectId], lease: null })
  assert.deepStrictEqual(yield* cloudState, (yield* Cloud).untouched)
  for (const [table, rows] of Object.entries(yield* tables)) {
    if (["tenants", "purges", "onboardings"].includes(table)) assert.deepStrictEqual(rows, [], table)
  }
})

const shows = Effect.fnUntraced(function* (gateway: Gateway, projectId: string) {
  return (yield* gateway.operator<Account>("GET", `/v1/account?project=${projectId}`)).body
})

for (const place of sampled("destructions", 1, [
  { service: "neutron", method: "DELETE", path: "/v2.0/networks/*", when: "after", as: "hang" },
  { service: "zitadel", method: "DELETE", path: "/management/v1/users/*", when: "before", as: "hang" },
  { service: "keystone", method: "DELETE", path: "/v3/projects/*", when: "after", as: "hang" }
] as const)) {
  story(`a destruction killed at ${place.service} ${place.method} ${place.path}, ${place.when} its effect`, () =>
    Effect.gen(function* () {
      const { gateway, projectId } = yield* stuckAt(place)
      // At once: the call that hangs is repeated after its time-out, and another gateway takes a while to start.
      yield* gateway.kill
      yield* quiet
      const other = yield* startGateway(atOnce)

      assert.deepInclude(yield* shows(other, projectId), { state: "closing", destroying: true })
      const { body, status } = yield* other.operator("POST", "/v1/tenants/accounts/1/reopen")
      assert.deepStrictEqual([status, body.code], [409, "account_destroying"])

      yield* pass("3 minutes")
      yield* eventually(destroyed(projectId))
      assert.strictEqual((yield* rowOf)?.["attempts"], 2)
    })
  )
}

story("a gateway that stops during a destruction exits, and leaves the rest to another one", () =>
  Effect.gen(function* () {
    const place: Fault = { service: "neutron", method: "DELETE", path: "/v2.0/routers/*", when: "before", as: "hang" }
    const { gateway, projectId } = yield* stuckAt(place)
    yield* startGateway(atOnce)
    assert.strictEqual(yield* gateway.stop, 0)
    yield* eventually(destroyed(projectId))
  })
)

story("a closing outlives all gateways, and is finalized when its window is over", () =>
  Effect.gen(function* () {
    const first = yield* startGateway()
    const { projectId, token } = yield* tenantOf(first, "Acme GmbH")
    const path = `/v1/account/close?project=${projectId}`
    assert.strictEqual((yield* first.operator("POST", path, { confirm: "Acme GmbH" })).status, 202)
    assert.strictEqual((yield* first.whoami(token)).body.code, "credential_suspended")
    yield* first.stop

    const second = yield* startGateway()
    assert.deepInclude(yield* shows(second, projectId), { state: "closing", window_days: 30, destroying: false })
    assert.strictEqual((yield* second.whoami(token)).body.code, "credential_suspended")
    yield* second.stop

    yield* pass("30 days")
    yield* startGateway()
    yield* eventually(destroyed(projectId))
  })
)
