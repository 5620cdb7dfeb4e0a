import { assert, it, layer } from "@effect/vitest"
import { eventCursorOf } from "@portico/contract/EventRoutes"
import { alarmTopic } from "@portico/contract/Events"
import { Bus } from "@portico/domain/events/Bus"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { Cast, operator } from "../harness/Cast.ts"
import { eventSource } from "./eventSource.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { pass, until } from "@portico/testing/clock"

const Whole = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** An alarm of a project changes, and is known by this key. */
const happens = Effect.fnUntraced(function* (project_id: string, key: string) {
  const envelope = { topic: alarmTopic, kind: "alarm.state_changed", at: "2026-01-05T10:00:00.000Z", project_id }
  yield* (yield* Bus).publish([{ id: randomUUID(), key, data: {}, ...envelope }])
})

const soon = (condition: () => boolean) => until(Effect.sync(condition))

const alarms = "/v1/events/tail?topic=alarms"

layer(Whole, { excludeTestServices: true })("a live stream of events", (it) => {
  it.effect("has a tenant's own as they happen, and resumes after the last one without a gap", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const scope = yield* Scope.make()
      const first = yield* Scope.provide(eventSource(url.customer, alarms, acme.tokens[0]), scope)
      assert.deepStrictEqual(
        [
          first.status,
          first.headers["content-type"],
          first.headers["cache-control"],
          first.headers["x-accel-buffering"]
        ],
        [200, "text/event-stream", "no-store, no-transform", "no"]
      )
      yield* soon(() => first.text().includes("retry: 3000"))
      yield* happens(acme.projectId, "one")
      yield* happens(globex.projectId, "theirs")
      yield* happens(acme.projectId, "two")
      yield* soon(() => first.events().length === 2)
      assert.deepStrictEqual(
        first.events().map((_) => _.key),
        ["one", "two"]
      )
      const id = first.lastId() ?? ""
      yield* Scope.close(scope, Exit.void)

      yield* happens(acme.projectId, "three")
      const again = yield* eventSource(url.customer, alarms, acme.tokens[0], { "last-event-id": id })
      yield* happens(acme.projectId, "four")
      yield* soon(() => again.events().length === 2)
      assert.deepStrictEqual(
        again.events().map((_) => _.key),
        ["three", "four"]
      )

      // The same as anybody finds who asks for them.
      const listed = jsonOf(
        yield* (yield* TestGateway).call("customer", "GET", `/v1/events?topic=alarms&cursor=${id}`, {
          token: acme.tokens[0]
        })
      )
      assert.deepStrictEqual(listed.events, again.events())
      assert.strictEqual(listed.last_cursor, again.lastId())
    }).pipe(Effect.scoped)
  )

  it.effect("ends at the next event after its credential is revoked", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      const { acme } = yield* Cast
      const body = { kind: "api-key", tier: 0, label: "watcher" }
      const minted = jsonOf(yield* call("customer", "POST", "/v1/credentials", { token: acme.tokens[2], body }))
      const watched = yield* eventSource(url.customer, "/v1/events/tail", minted.pat)
      yield* soon(() => watched.lastId() !== undefined)
      yield* call("customer", "DELETE", `/v1/credentials/${minted.credential_id}`, { token: acme.tokens[2] })
      yield* soon(watched.ended)
      assert.deepStrictEqual(watched.events(), [])
      const path = `/v1/events?topic=iam.credentials&kind=credential.created&kind=credential.revoked`
      const { events } = jsonOf(yield* call("customer", "GET", path, { token: acme.tokens[0] }))
      assert.deepStrictEqual(
        events.flatMap((_: { key: string; kind: string }) => (_.key === minted.credential_id ? [_.kind] : [])),
        ["credential.created", "credential.revoked"]
      )
      for (const secret of [minted.pat, minted.client_secret]) assert.notInclude(JSON.stringify(events), secret)
    }).pipe(Effect.scoped)
  )

  it.effect("is a 422 with a malformed id, and a 409 for administrators on the customer plane", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const odd = yield* call("customer", "GET", alarms, {
        token: acme.tokens[0],
        headers: { "last-event-id": "nonsense" }
      })
      assert.deepStrictEqual([odd.status, jsonOf(odd).code], [422, "validation_error"])
      const refused = yield* call("customer", "GET", alarms, { token: operator })
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [409, "tenant_required"])
    })
  )

  it.effect("is limited to twenty of a tenant, and a closed one frees a place", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const scope = yield* Scope.make()
      for (let count = 0; count < 20; count++) {
        yield* Scope.provide(eventSource(url.customer, alarms, globex.tokens[0]), scope)
      }
      const refused = yield* call("customer", "GET", alarms, { token: globex.tokens[2] })
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [429, "event_streams_exhausted"])
      assert.strictEqual(refused.headers["retry-after"], "30")
      assert.strictEqual((yield* eventSource(url.customer, alarms, acme.tokens[0])).status, 200)
      yield* Scope.close(scope, Exit.void)
      const free = call("customer", "GET", `${alarms}&timeout_seconds=0`, { token: globex.tokens[2] })
      yield* until(Effect.map(free, (_) => _.status === 200))
    }).pipe(Effect.scoped)
  )
})

const Impatient = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Server, ({ url }) => ({
        ...gatewaySettings(url),
        ANSWER_STALL_SECONDS: "2",
        EVENT_STREAMS_PER_TENANT: "1"
      }))
    )
  ),
  Layer.provideMerge(TestGateway.cloud)
)

layer(Impatient, { excludeTestServices: true })("a live stream of events without a reader", (it) => {
  it.effect("is cut off, and frees its place", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      const { acme } = yield* Cast
      // Far more than the buffers between the two take.
      for (let count = 0; count < 1_500; count++) yield* happens(acme.projectId, "x".repeat(16_000))
      const fromTheBeginning = { "last-event-id": eventCursorOf(0) }
      const watched = yield* eventSource(url.customer, alarms, acme.tokens[0], fromTheBeginning)
      assert.strictEqual(watched.status, 200)
      watched.pause()
      const another = call("customer", "GET", `${alarms}&timeout_seconds=0`, { token: acme.tokens[0] })
      assert.strictEqual((yield* another).status, 429)
      yield* until(Effect.map(another, (_) => _.status === 200))
    }).pipe(Effect.scoped)
  )
})

layer(Whole)("a live stream of events, on a running clock,", (it) => {
  it.effect("continues while the identity provider does not respond, or fails", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const asking = { service: "zitadel", method: "POST", path: "/**", times: "always", when: "before" } as const
      for (const as of ["reset", { status: 503 }] as const) {
        const watched = yield* eventSource(url.customer, alarms, acme.tokens[0])
        yield* soon(() => watched.text().includes("retry: 3000"))
        yield* cloud.fault({ ...asking, as })
        // By then the gateway has to ask again.
        yield* pass(75)
        const key = JSON.stringify(as)
        yield* happens(acme.projectId, key)
        yield* soon(() => watched.ended() || watched.events().length === 1)
        assert.deepStrictEqual([watched.ended(), watched.events().map((_) => _.key)], [false, [key]])
        yield* cloud.clearFaults
      }
    }).pipe(Effect.scoped)
  )
})

it.effect("a process that stops ends its streams, and does not wait for their clients", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Whole, scope)
    const { url } = Context.get(built, TestGateway)
    const watched = yield* eventSource(url.customer, alarms, Context.get(built, Cast).acme.tokens[0])
    yield* soon(() => watched.lastId() !== undefined)
    // The clock stands still: no connection is closed by force.
    yield* Scope.close(scope, Exit.void)
    yield* soon(watched.ended)
    assert.isFalse(watched.broke())
  }).pipe(Effect.scoped)
)
