import { assert, it } from "@effect/vitest"
import { createNatGateway, removeNatGateway } from "@portico/domain/nat/change"
import { listNatGateways } from "@portico/domain/nat/list"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass, settle } from "@portico/testing/clock"
import { callsOf, titleOf, under } from "@portico/testing/faults/calls"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { someFaultsOf } from "@portico/testing/faults/some"

const withOn = await seedOf(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { ngw_id } = yield* inTime(createNatGateway(projectId))
    return { projectId, ngw_id }
  })
)
const withOff = await seedOf(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { ngw_id } = yield* inTime(createNatGateway(projectId))
    yield* inTime(removeNatGateway(projectId, ngw_id))
    return { projectId, ngw_id }
  })
)
type Made = typeof withOn.made

const uplinkOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const router = Object.values(world.neutron.routers).find((_) => _.project_id === projectId)
  const port = world.neutron.ports[router?.gateway?.port_id ?? ""]
  return { ...router?.gateway, enable_snat: null, addresses: port?.fixed_ips }
})

type Changed = ReturnType<typeof createNatGateway | typeof removeNatGateway>
type Change = Effect.Effect<void, Effect.Error<Changed>, Effect.Services<Changed>>

const changes = [
  {
    name: "creating a gateway",
    seed: withOff,
    change: ({ projectId }: Made): Change => Effect.asVoid(createNatGateway(projectId)),
    count: 1
  },
  {
    name: "deleting a gateway",
    seed: withOn,
    change: ({ ngw_id, projectId }: Made): Change => Effect.asVoid(removeNatGateway(projectId, ngw_id)),
    count: 0
  }
]

for (const { change, count, name, seed } of changes) {
  const begin = from(seed)
  const calls = await Effect.runPromise(
    Effect.provide(
      begin((made) => callsOf(inTime(change(made)))),
      TestClock.layer()
    )
  )

  for (const call of calls) {
    it.effect(
      `${name} can be repeated when ${call.service} ${call.method} ${call.path} fails, without moving addresses`,
      () =>
        Effect.forEach(
          someFaultsOf(call),
          (fault) =>
            begin((made) =>
              Effect.gen(function* () {
                const before = yield* uplinkOf(made.projectId)
                const outcome = yield* under(fault, Effect.result(inTime(change(made))))
                if (outcome._tag === "Failure") {
                  assert.include(["BadGateway", "Conflict", "Unavailable"], outcome.failure._tag, titleOf(fault))
                  const again = yield* Effect.result(inTime(change(made)))
                  // What was deleted behind a lost answer is gone.
                  const isDone = again._tag === "Success" || again.failure._tag === "NotFound"
                  assert.isTrue(isDone, titleOf(fault))
                }
                assert.strictEqual((yield* inTime(listNatGateways(made.projectId))).count, count, titleOf(fault))
                assert.deepStrictEqual(yield* uplinkOf(made.projectId), before, titleOf(fault))
              })
            ),
          { discard: true }
        )
    )

    it.effect(`${name} is complete when the client disconnects at ${call.method} ${call.path}`, () =>
      begin((made) =>
        Effect.gen(function* () {
          const before = yield* uplinkOf(made.projectId)
          const cloud = yield* SimulatedCloud
          yield* cloud.fault({ ...call, when: "after", as: "hang" })
          const fiber = yield* Effect.forkChild(change(made))
          yield* settle
          yield* Fiber.interrupt(fiber)
          yield* cloud.clearFaults
          yield* pass(20)
          yield* Effect.result(inTime(change(made)))
          assert.strictEqual((yield* inTime(listNatGateways(made.projectId))).count, count)
          assert.deepStrictEqual(yield* uplinkOf(made.projectId), before)
        })
      )
    )
  }
}
