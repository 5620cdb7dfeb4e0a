import { assert, layer } from "@effect/vitest"
import { createClient, type Portico, PorticoError, type Received } from "@portico/client/createClient"
import { Customer, pages } from "@portico/client/effect"
import type { Time } from "@portico/client/engine/Time"
import { alarmTopic } from "@portico/contract/Events"
import { Bus } from "@portico/domain/events/Bus"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, settle, until } from "@portico/testing/clock"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Cast } from "../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../gateway/test/harness/TestGateway.ts"
import { lineTo } from "./Line.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** Time limits, which are never reached: of a wait's last look, and from 45 seconds on of looks and connections. */
const isLimit = (millis: number) => millis === 5_000 || millis >= 45_000

/** Each pause moves the clock of the test by itself. */
const movedTime = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  const passes = (millis: number) => Effect.runPromiseWith(context)(Effect.andThen(settle, TestClock.adjust(millis)))
  return {
    now: () => clock.currentTimeMillisUnsafe(),
    random: () => 0,
    sleep: (millis) => (isLimit(millis) ? new Promise(() => {}) : passes(millis))
  } satisfies Time
})

/** A line that ends with the test, and acme's client on it. */
const onLine = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme, globex } = yield* Cast
  const line = yield* Effect.acquireRelease(
    Effect.promise(() => lineTo(url.customer)),
    (line) => Effect.promise(() => line[Symbol.asyncDispose]())
  )
  const time = yield* movedTime
  return { acme, globex, line, time, client: createClient({ url: line.url, token: acme.tokens[2], time }) }
})

const failureOf = (work: Promise<unknown>): Promise<PorticoError> =>
  work.then(
    () => assert.fail("it succeeded"),
    (error: unknown) => (error instanceof PorticoError ? error : assert.fail(String(error)))
  )

/** What takes the gateway some time. */
const passing = <A>(work: () => Promise<A>) => inTime(Effect.promise(work), "100 millis")

const soon = (condition: () => boolean) => inTime(until(Effect.sync(condition)), "100 millis")

/** An alarm of a project changes. */
const happens = Effect.fnUntraced(function* (project_id: string, key: string) {
  const envelope = { topic: alarmTopic, kind: "alarm.state_changed", at: "2026-01-05T10:00:00.000Z", project_id }
  yield* (yield* Bus).publish([{ id: randomUUID(), key, data: {}, ...envelope }])
})

const tokenOf = (client: Portico, label: string) =>
  Effect.promise(() => client.credentials.mint({ kind: "api-key", tier: 0, label }))

const gone = async (items: AsyncIterable<unknown>, signal: AbortSignal): Promise<unknown> => {
  const read = async () => {
    for await (const _ of items) assert.isDefined(_)
  }
  return read().then(
    () => "ended",
    (error: unknown) => (error === signal.reason ? "aborted" : error)
  )
}

layer(Everything)("a client at a gateway", (it) => {
  it.effect("gets one resource from a create whose answer is lost, and learns that its secrets were shown", () =>
    Effect.gen(function* () {
      const { client, line } = yield* onLine
      line.lose("POST /v1/credentials")
      const minted = yield* tokenOf(client, "once")
      assert.deepStrictEqual([minted.pat, minted.client_secret], [null, null])
      assert.strictEqual(line.calls.filter((_) => _ === "POST /v1/credentials").length, 2)
      const { credentials } = yield* Effect.promise(() => client.credentials.list({ label: "once" }))
      assert.deepStrictEqual(
        credentials.map((_) => _.credential_id),
        [minted.credential_id]
      )
    })
  )

  it.effect("iterates over the rows of all pages, one page at a time, by both faces", () =>
    Effect.gen(function* () {
      const { acme, client, line } = yield* onLine
      for (const label of ["a", "b", "c"]) yield* tokenOf(client, `page ${label}`)
      const all = yield* Effect.promise(() => client.credentials.list({ limit: 1000 }))
      const wanted = all.credentials.map((_) => _.credential_id)
      assert.isAbove(wanted.length, 4)

      const before = line.calls.length
      const walked: Array<string> = []
      yield* Effect.promise(async () => {
        for await (const { credential_id } of client.credentials.list.all({ limit: 2 })) walked.push(credential_id)
      })
      assert.deepStrictEqual(walked, wanted)
      assert.strictEqual(line.calls.length - before, Math.ceil(wanted.length / 2))

      // Who stops early asks for no more.
      const early = line.calls.length
      yield* Effect.promise(async () => {
        for await (const page of client.credentials.list.pages({ limit: 2 })) return page.count
        return 0
      })
      assert.strictEqual(line.calls.length - early, 1)

      const { credentials } = yield* Customer.make({ url: line.url, token: acme.tokens[0] })
      const streamed = yield* pages((from) =>
        credentials.list({ query: { include_revoked: false, limit: 2, ...from } })
      ).pipe(
        Stream.flatMap((_) => Stream.fromIterable(_.credentials)),
        Stream.runCollect
      )
      assert.deepStrictEqual(
        streamed.map((_) => _.credential_id),
        wanted
      )
    })
  )

  it.effect("follows events across broken connections, each once and in order", () =>
    Effect.gen(function* () {
      const { acme, client, line } = yield* onLine
      const controller = new AbortController()
      const keys: Array<string> = []
      let opened = 0
      const options = { signal: controller.signal, onOpen: () => void (opened += 1) }
      const followed = client.events.tail({ topic: ["alarms"] }, options)
      const reading = gone(remembering(followed, keys), controller.signal)
      yield* soon(() => opened === 1)
      const wanted: Array<string> = []
      for (let round = 0; round < 6; round++) {
        wanted.push(`before ${round}`, `during ${round}`)
        yield* happens(acme.projectId, `before ${round}`)
        if (round % 2 === 0) yield* soon(() => keys.includes(`before ${round}`))
        line.cut()
        yield* happens(acme.projectId, `during ${round}`)
      }
      yield* soon(() => keys.length >= wanted.length)
      controller.abort()
      assert.strictEqual(yield* Effect.promise(() => reading), "aborted")
      assert.deepStrictEqual(keys, wanted)
      assert.isAtLeast(line.calls.filter((_) => _ === "GET /v1/events/tail").length, 3)
    })
  )

  it.effect("stops following events when its credential is revoked", () =>
    Effect.gen(function* () {
      const { client, line, time } = yield* onLine
      const minted = yield* tokenOf(client, "watcher")
      const watcher = createClient({ url: line.url, token: minted.pat ?? "", time })
      let opened = false
      const failure = failureOf(
        gone(watcher.events.tail({}, { onOpen: () => void (opened = true) }), new AbortController().signal).then(
          (error) => Promise.reject(error)
        )
      )
      yield* soon(() => opened)
      yield* passing(() => client.credentials.revoke({ credential_id: minted.credential_id }))
      assert.strictEqual((yield* passing(() => failure)).code, "credential_revoked")
    })
  )

  it.effect("exports the audit to its last line", () =>
    Effect.gen(function* () {
      const { client } = yield* onLine
      for (const label of ["x", "y"]) yield* tokenOf(client, `exported ${label}`)
      const lines: Array<unknown> = []
      yield* Effect.promise(async () => {
        for await (const line of client.audit.export({ method: "POST", route: "/v1/credentials" })) lines.push(line)
      })
      const last = lines.at(-1)
      assert.deepInclude(last, { end: true, complete: true, count: lines.length - 1 })
    })
  )

  it.effect("waits for a database, with progress, and for its end", () =>
    Effect.gen(function* () {
      const { client } = yield* onLine
      const seen: Array<string> = []
      const orders = { engine: "postgres", name: "orders", version: "17", size_gb: 1 } as const
      const made = yield* Effect.promise(() => client.databases.create(orders))
      const ready = yield* Effect.promise(() =>
        client.databases.create.wait(made, { onProgress: (_) => void seen.push(_.status) })
      )
      assert.deepStrictEqual([ready.status, ready.ready, seen.at(-1)], ["ready", true, "ready"])
      yield* Effect.promise(() => client.databases.remove({ engine: "postgres", name: "orders" }))
      const removed = yield* Effect.promise(() => client.databases.remove.wait({ engine: "postgres", name: "orders" }))
      assert.isUndefined(removed)
      assert.strictEqual(
        (yield* Effect.promise(() => failureOf(client.databases.show({ engine: "postgres", name: "orders" })))).code,
        "database_not_found"
      )
    })
  )

  it.effect("gives up a wait at its time-out with the last state, and stops one that is aborted", () =>
    Effect.gen(function* () {
      const { client } = yield* onLine
      const made = yield* Effect.promise(() =>
        client.dns.createZone({ name: "waits.example.com.", email: "dns@example.com" })
      )
      const { world } = yield* SimulatedCloud
      const zone = world.designate.zones[made.zone_id]
      if (zone === undefined) return assert.fail("no zone")
      Object.assign(zone, { status: "PENDING", settlesAt: Number.MAX_SAFE_INTEGER })
      const late = yield* Effect.promise(() => failureOf(client.dns.createZone.wait(made, { timeout: 50 })))
      assert.deepStrictEqual([late.code, late.operation], ["gave_up", "dns.createZone"])
      assert.deepInclude(late.body, { zone_id: made.zone_id, status: "PENDING" })

      const controller = new AbortController()
      const waiting = client.dns.createZone.wait(made, { signal: controller.signal }).catch((_: unknown) => _)
      controller.abort("enough")
      assert.strictEqual(yield* Effect.promise(() => waiting), "enough")
    })
  )

  it.effect("fails with the contract's classes, and aborts what is interrupted, by the Effect face", () =>
    Effect.gen(function* () {
      const { acme, line } = yield* onLine
      const portico = yield* Customer.make({ url: line.url, token: acme.tokens[0] })
      const shown = portico.databases.show({ params: { engine: "postgres", name: "none" } })
      const caught = yield* Effect.catchTag(shown, "NotFound", ({ code }) => Effect.succeed(code))
      assert.strictEqual(caught, "database_not_found")

      const tailing = yield* portico.events
        .tail({ topic: ["alarms"] })
        .pipe(Stream.take(2), Stream.runCollect, Effect.forkChild)
      yield* soon(() => line.begun.includes("GET /v1/events/tail"))
      yield* happens(acme.projectId, "effect 1")
      line.cut()
      yield* happens(acme.projectId, "effect 2")
      const events = yield* inTime(Fiber.join(tailing))
      assert.deepStrictEqual(
        events.map((_) => _.event.key),
        ["effect 1", "effect 2"]
      )
    })
  )
})

/** Passes events on, and keeps their keys. */
async function* remembering(
  of: AsyncIterable<Received<{ readonly key: string }>>,
  keys: Array<string>
): AsyncGenerator<unknown, void> {
  for await (const received of of) {
    keys.push(received.event.key)
    yield received
  }
}
