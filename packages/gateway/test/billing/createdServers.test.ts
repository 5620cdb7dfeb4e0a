import { LifecycleEvent, lifecycleTopic } from "@portico/contract/Events"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { repeatInTime } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Cast, type Tenant } from "../harness/Cast.ts"
import { Logs } from "../harness/Logs.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const decode = Schema.decodeUnknownEffect(LifecycleEvent, { onExcessProperty: "error" })

const iaas = Effect.fnUntraced(function* ({ tokens }: Tenant, method: string, path: string, body?: object) {
  const { call } = yield* TestGateway
  return yield* call("customer", method, `/v1/iaas/compute/${path}`, { token: tokens[2], body })
})

const create = Effect.fnUntraced(function* (tenant: Tenant, more: object) {
  const server = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: tenant.networkId }] }
  const answer = yield* iaas(tenant, "POST", "servers", { server: { ...server, ...more } })
  assert.strictEqual(answer.status, 202, answer.text)
  return jsonOf(answer)
})

const idsOf = (tenant: Tenant, query = "") =>
  Effect.map(iaas(tenant, "GET", `servers${query}`), (_) =>
    jsonOf(_)
      .servers.map((_: { readonly id: string }) => _.id)
      .toSorted()
  )

/** What the ledger has of a tenant's creates, once there are so many. */
const creates = Effect.fnUntraced(function* ({ projectId }: Tenant, count: number) {
  const { events } = yield* Memory
  const found = Effect.suspend(() =>
    Effect.forEach(
      [...events.values()].filter((_) => _.topic === lifecycleTopic),
      (_) => decode(_.envelope)
    )
  )
  const own = Effect.map(found, (_) => _.filter((_) => _.kind === "server.create" && _.project_id === projectId))
  const all = yield* repeatInTime(own, (_) => _.length >= count)
  return all.map(({ at, data }) => ({ at, ...data })).toSorted((a, b) => (a.resource_id < b.resource_id ? -1 : 1))
})

/** Forgets the servers, their events, and how compute fails. */
const anew = Effect.gen(function* () {
  const { world, clearCalls, clearFaults } = yield* SimulatedCloud
  const { events } = yield* Memory
  yield* clearFaults
  yield* clearCalls
  for (const id of Object.keys(world.nova.servers)) delete world.nova.servers[id]
  events.clear()
})

const reads = Effect.flatMap(SimulatedCloud, ({ calls }) =>
  Effect.map(calls, (_) => _.filter((_) => _.method === "GET" && _.service === "nova").map((_) => _.path))
)

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer), Layer.provideMerge(Logs.layer))

const everyRead = { service: "nova", method: "GET", path: "/**", times: "always", when: "before" } as const

layer(Stage)("a create of several servers", (it) => {
  for (const [what, more, made] of [
    ["by numbers", { min_count: 1, max_count: 3 }, 3],
    ["by texts as compute takes them", { min_count: "1", max_count: "0000000000000000000003\n" }, 3],
    ["as far as the quota goes", { min_count: 1, max_count: 9 }, 5]
  ] as const) {
    it.effect(`is one event per server, requested ${what}`, () =>
      Effect.gen(function* () {
        yield* anew
        const { acme } = yield* Cast
        const { id } = (yield* create(acme, more)).server
        const events = yield* creates(acme, made)
        const ids = yield* idsOf(acme)
        assert.lengthOf(ids, made)
        assert.include(ids, id)
        assert.deepStrictEqual(
          events.map((_) => [_.resource_type, _.resource_id, _.detail]),
          ids.map((_: string) => ["server", _, { flavor: "2" }])
        )
        const [{ credential_id, request_id } = assert.fail("no event")] = events
        assert.deepStrictEqual(new Set(events.map((_) => _.request_id)), new Set([request_id]))
        assert.deepStrictEqual(new Set(events.map((_) => _.credential_id)), new Set([credential_id]))
      })
    )
  }

  it.effect("is one event per server, when the answer names only a reservation", () =>
    Effect.gen(function* () {
      yield* anew
      const { acme, globex } = yield* Cast
      yield* create(globex, {})
      const { reservation_id } = yield* create(acme, { max_count: 2, return_reservation_id: true })
      const events = yield* creates(acme, 2)
      const ids = yield* idsOf(acme, `?reservation_id=${reservation_id}`)
      assert.lengthOf(ids, 2)
      assert.deepStrictEqual(
        events.map((_) => [_.resource_type, _.resource_id, _.detail]),
        ids.map((_: string) => ["server", _, { flavor: "2" }])
      )
    })
  )

  it.effect("of one server reads nothing", () =>
    Effect.gen(function* () {
      yield* anew
      const { acme } = yield* Cast
      for (const more of [{}, { min_count: 1 }, { max_count: "1" }]) yield* create(acme, more)
      yield* creates(acme, 3)
      assert.deepStrictEqual(yield* reads, [])
    })
  )

  it.effect("is one event for its first server, and a log line, when the others cannot be read", () =>
    Effect.gen(function* () {
      yield* anew
      const { acme } = yield* Cast
      const { fault } = yield* SimulatedCloud
      const { forget, lines } = yield* Logs
      yield* forget
      yield* fault({ ...everyRead, as: { status: 501 } })
      const { id } = (yield* create(acme, { max_count: 2 })).server
      yield* repeatInTime(lines, (_) => _.some((line) => line.includes("the servers of a create cannot be read")))
      assert.deepStrictEqual(
        (yield* creates(acme, 1)).map((_) => [_.resource_id, _.detail]),
        [[id, { flavor: "2" }]]
      )
    })
  )

  it.effect("is one event for its reservation when that cannot be read", () =>
    Effect.gen(function* () {
      yield* anew
      const { acme } = yield* Cast
      const { fault } = yield* SimulatedCloud
      yield* fault({ ...everyRead, as: { status: 501 } })
      const { reservation_id } = yield* create(acme, { max_count: 2, return_reservation_id: true })
      assert.deepStrictEqual(
        (yield* creates(acme, 1)).map((_) => [_.resource_type, _.resource_id, _.detail]),
        [["reservation", reservation_id, { flavor: "2", min_count: 1, max_count: 2 }]]
      )
    })
  )

  it.effect("is answered while compute does not respond to the reading", () =>
    Effect.gen(function* () {
      yield* anew
      const { acme } = yield* Cast
      const { fault } = yield* SimulatedCloud
      yield* fault({ ...everyRead, as: "hang" })
      const { id } = (yield* create(acme, { max_count: 2 })).server
      yield* repeatInTime(reads, (_) => _.length > 0)
      assert.deepStrictEqual(
        (yield* creates(acme, 1)).map((_) => _.resource_id),
        [id]
      )
    })
  )
})
