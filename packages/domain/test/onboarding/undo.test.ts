import { sampled } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"
import { withWords } from "@portico/contract/formerWords"
import { listJournal } from "@portico/domain/onboarding/journal"
import { onboard } from "@portico/domain/onboarding/onboard"
import { retry, sweep } from "@portico/domain/onboarding/withdraw"
import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { cleanSlate, leftovers } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass, settle } from "@portico/testing/clock"
import { callsOf, type NamedCall, titleOf } from "@portico/testing/faults/calls"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { whole } from "@portico/testing/tenants/whole"

const acme = { name: "Acme GmbH", tier: "standard" } as const

const forward = await Effect.runPromise(Effect.provide(callsOf(onboard(acme)), Simulated))

/** The last call of an onboarding is refused, when everything else has been made. */
const turnsBack: Fault = {
  service: "keystone",
  method: "PUT",
  path: "/v3/projects/*/tags/*",
  when: "before",
  as: { status: 403 }
}

const failedRun = Effect.gen(function* () {
  yield* (yield* SimulatedCloud).fault(turnsBack)
  return yield* callsOf(Effect.flip(onboard(acme)))
})

const key = ({ method, path, service }: NamedCall): string => `${service} ${method} ${path}`

/** The different calls of a rollback, and how many of the same kind the way forward makes before. */
const undoCalls = [
  ...new Map(
    (await Effect.runPromise(Effect.provide(failedRun, Simulated)))
      .slice(forward.length)
      .map((_) => [key(_), { ..._, nth: forward.filter((made) => key(made) === key(_)).length + 1 }] as const)
  ).values()
]

/** What each step leaves in the cloud when it is not undone. */
const kindsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  project: ["keystone.projects"],
  "compute quotas": ["nova.quotas"],
  "block storage quotas": ["cinder.quotas"],
  "network quotas": ["neutron.quotas"],
  "load balancer quotas": ["octavia.quotas"],
  "object storage": ["rgw.users"],
  "tenant user": ["keystone.users", "keystone.grants"],
  network: ["neutron.networks", "neutron.security_groups", "neutron.security_group_rules"],
  subnet: ["neutron.subnets", "neutron.ports"],
  router: ["neutron.routers", "neutron.ports"],
  "router interface": ["neutron.ports"],
  "machine user": ["zitadel.users", "zitadel.grants"]
}

const stuckAt = Effect.fnUntraced(function* (call: NamedCall, as: FaultKind) {
  const fault: Fault = { ...call, times: "always", when: "before", as }
  const because = titleOf(fault)
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(turnsBack)
  yield* cloud.fault(fault)
  const failure = yield* Effect.flip(inTime(onboard(acme)))

  // The answer and the journal name what is left, and in whose words.
  const left = failure._tag === "BadGateway" ? (failure.left ?? []) : []
  assert.isNotEmpty(left, because)
  assert.include(failure.detail, `Not yet removed: ${left.join(", ")}`, because)
  const { onboardings } = yield* listJournal()
  const [row] = onboardings
  assert.deepStrictEqual([onboardings.length, row?.state], [1, "stuck"], because)
  assert.deepStrictEqual(
    row?.left.map((_) => _.step),
    left,
    because
  )
  assert.strictEqual(row?.failure, "tier tag: keystone tag tier: simulated 403", because)
  const own = row?.left.filter((_) => !_.message.startsWith("kept until ")) ?? []
  assert.isNotEmpty(own, because)
  for (const { message } of own) assert.include(message, call.service, because)

  // The undos that do not stand on it went on.
  const mayBeThere = left.flatMap((step) => kindsOf[step] ?? [])
  assert.includeMembers(mayBeThere, yield* leftovers, because)

  const id = row?.attempt_id ?? ""
  const again = yield* inTime(retry(id))
  assert.deepStrictEqual([again.removed, again.left.map((_) => _.step)], [false, left], because)
  assert.deepStrictEqual((yield* listJournal()).onboardings[0]?.withdrawals, 2, because)

  // The name is held as long as anything is left.
  yield* cloud.clearFaults
  assert.strictEqual((yield* Effect.flip(inTime(onboard(acme)))).code, "onboarding_in_progress", because)
  assert.deepStrictEqual(yield* inTime(retry(id)), { attempt_id: id, removed: true, left: [] }, because)
  yield* cleanSlate(because)
  yield* whole(yield* inTime(onboard(acme)), because)
}, Effect.provide(Simulated))

for (const call of sampled("calls that undo", 12, undoCalls)) {
  it.effect(`says what is left when the undo at ${key(call)} fails, and a retry finishes it`, () =>
    Effect.forEach([{ status: 403 }, { status: 409 }, { status: 503 }, "garbage"] as const, (as) => stuckAt(call, as))
  )
}

it.effect("a retry soon after a lost answer leaves the second check to the sweep", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const late = { service: "neutron", method: "POST", path: "/v2.0/networks", when: "before" } as const
    yield* cloud.fault({ ...late, as: { delay_ms: 60_000 } })
    yield* cloud.fault({ ...oneUndo, nth: 1 })
    yield* Effect.flip(inTime(onboard(acme)))
    const id = (yield* listJournal()).onboardings[0]?.attempt_id ?? ""
    yield* cloud.clearFaults
    assert.deepInclude(yield* inTime(retry(id)), { removed: true })
    assert.strictEqual((yield* listJournal()).onboardings[0]?.state, "resting")
    yield* whole(yield* inTime(onboard({ ...acme, tenant_name: "Somebody else" })), "the rest")
    yield* pass(180)
    yield* inTime(sweep)
    assert.strictEqual((yield* listJournal()).count, 0)
    assert.strictEqual((yield* (yield* SimulatedCloud).state)["neutron.networks"]?.length, 2)
  }).pipe(Effect.provide(Simulated))
)

const oneUndo: Fault = {
  service: "rgw",
  method: "DELETE",
  path: "/admin/user",
  times: "always",
  when: "before",
  as: { status: 403 }
}

const stuck = Effect.gen(function* () {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(turnsBack)
  yield* cloud.fault(oneUndo)
  yield* Effect.flip(inTime(onboard(acme)))
  return (yield* listJournal()).onboardings[0]?.attempt_id ?? ""
})

it.effect("a failed undo is repeated by the sweep after growing pauses", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* stuck
    for (const minutes of [4, 8, 16, 32, 60, 60]) {
      yield* TestClock.adjust(`${minutes * 60 - 1} seconds`)
      assert.strictEqual(yield* inTime(sweep), 0, `before ${minutes} minutes`)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* inTime(sweep), 1, `after ${minutes} minutes`)
    }
    yield* cloud.clearFaults
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* inTime(sweep), 1)
    yield* cleanSlate("the sweep after the fault was gone")
  }).pipe(Effect.provide(Simulated))
)

it.effect("an undo that fails transiently once or twice is retried at once", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault(turnsBack)
    yield* cloud.fault({ ...oneUndo, times: 2, as: { status: 409 } })
    const failure = yield* Effect.flip(inTime(onboard(acme), "100 millis"))
    assert.strictEqual(failure.detail, "Onboarding stopped at tier tag: keystone tag tier: simulated 403")
    yield* cleanSlate("two refusals")
  }).pipe(Effect.provide(Simulated))
)

it.effect("an undo that times out is named, with the steps kept below it", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault(turnsBack)
    yield* cloud.fault({ ...oneUndo, as: "hang" })
    const failure = yield* Effect.flip(inTime(onboard(acme)))
    assert.deepInclude(failure, { left: ["object storage", "project"] })
    assert.deepStrictEqual((yield* listJournal()).onboardings[0]?.left, [
      withWords({ step: "object storage", message: "rgw remove user: no answer within 10s" }),
      withWords({ step: "project", message: "kept until object storage is removed" })
    ])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a rollback longer than its lease is stuck with the rest, and the sweep completes it", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault(turnsBack)
    for (const method of ["GET", "PUT", "DELETE"]) {
      const first = forward.filter((_) => _.service === "neutron" && _.method === method).length + 1
      const slow = { service: "neutron", method, path: "**", nth: first, times: "always", when: "before" } as const
      yield* cloud.fault({ ...slow, as: { delay_ms: 9500 } })
    }
    const failure = yield* Effect.flip(inTime(onboard(acme)))
    assert.deepInclude(failure, { left: ["project", "network quotas", "network"] })
    const [row] = (yield* listJournal()).onboardings
    assert.deepStrictEqual(new Set(row?.left.map((_) => _.message)), new Set(["not done within 1m 20s"]))
    yield* cloud.clearFaults
    yield* TestClock.adjust("5 minutes")
    yield* inTime(sweep)
    yield* cleanSlate("the sweep")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a retry is refused while a process holds the attempt, and for an unknown attempt", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ service: "nova", method: "PUT", path: "/v2.1/os-quota-sets/*", when: "before", as: "hang" })
    const request = yield* Effect.forkDetach(onboard(acme))
    yield* settle
    const [row] = (yield* listJournal()).onboardings
    const id = row?.attempt_id ?? ""
    assert.strictEqual(row?.state, "running")
    const busy = yield* Effect.flip(retry(id))
    assert.deepStrictEqual(
      [busy._tag, busy.code, busy.detail],
      ["Conflict", "onboarding_busy", `Onboarding '${id}' is held by a running process`]
    )
    const unknown = yield* Effect.flip(retry("no-such-attempt"))
    assert.deepStrictEqual([unknown._tag, unknown.detail], ["NotFound", "Onboarding 'no-such-attempt' not found"])
    yield* inTime(Fiber.interrupt(request))
  }).pipe(Effect.provide(Simulated))
)

it.effect("of two concurrent retries one works, the other is refused", () =>
  Effect.gen(function* () {
    const id = yield* stuck
    yield* (yield* SimulatedCloud).clearFaults
    const exits = yield* inTime(Effect.all([Effect.result(retry(id)), Effect.result(retry(id))], { concurrency: 2 }))
    assert.sameMembers(
      exits.map((_) => _._tag),
      ["Success", "Failure"]
    )
    yield* cleanSlate("two retries")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a retry completes when the operator disconnects", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const id = yield* stuck
    yield* cloud.clearFaults
    yield* cloud.fault({ ...oneUndo, times: 1, as: { delay_ms: 5000 } })
    const request = yield* Effect.forkDetach(retry(id))
    yield* settle
    yield* inTime(Fiber.interrupt(request))
    yield* cleanSlate("the hang-up")
  }).pipe(Effect.provide(Simulated))
)
