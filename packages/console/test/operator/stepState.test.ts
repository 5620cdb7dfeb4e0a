import { assert, test } from "vitest"
import { stepState } from "../../src/operator/common/onboarding.ts"

const network = { step: "network", done: true }
const subnet = { step: "subnet", done: false }
const tag = { step: "tier tag", done: false }
const user = { step: "tenant user", done: true }

const stuck = {
  state: "stuck",
  step: null,
  failure: "subnet: neutron create subnet: 503",
  left: [{ step: "network", message: "neutron remove network: 503", words: "neutron remove network: 503" }]
} as const

test("a running onboarding has done, running and waiting steps", () => {
  const running = { state: "running", step: "subnet", failure: null, left: [] } as const
  assert.deepStrictEqual(
    [network, subnet, tag].map((_) => stepState(running, _)),
    ["done", "running", "waiting"]
  )
})

test("a stuck onboarding has removed, left, failed and unstarted steps", () => {
  assert.deepStrictEqual(
    [user, network, subnet, tag].map((_) => stepState(stuck, _)),
    ["removed", "leftStep", "failed", "notBegun"]
  )
})

test("a step is not shown as removed before the rollback has removed it", () => {
  const withdrawing = { ...stuck, state: "withdrawing", step: "network", left: [] } as const
  assert.deepStrictEqual(
    [user, network, subnet].map((_) => stepState(withdrawing, _)),
    ["done", "running", "failed"]
  )
})
