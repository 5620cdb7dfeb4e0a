import { assert, it } from "@effect/vitest"
import { agentActionKind, agentTopic } from "@portico/contract/Events"
import { receiveActions } from "@portico/domain/bus/actions"
import * as BusHealth from "@portico/domain/bus/BusHealth"
import { mint } from "@portico/domain/credentials/mint"
import { foldUsage, showUsage } from "@portico/domain/credentials/usage"
import { Credentials } from "@portico/store/Credentials"
import { EventLog } from "@portico/store/EventLog"
import { DateTime, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Broker } from "./broker.ts"
import { ownerOf } from "@portico/testing/tenants/caller"
import { settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

const Agents = Layer.mergeAll(Broker.layer, BusHealth.layer).pipe(Layer.provideMerge(Simulated))

/** What an agent reports in good order. */
const report = (user: string, change: Readonly<Record<string, unknown>> = {}) => ({
  id: randomUUID(),
  topic: agentTopic,
  kind: "tool.called",
  at: "2026-01-05T10:00:00.000Z",
  key: user,
  project_id: null,
  data: { tool: "list_servers", outcome: "ok" },
  ...change
})

const messageOf = (event: Readonly<Record<string, unknown>>) => ({
  key: String(event["key"]),
  value: JSON.stringify(event)
})

const kept = Effect.flatMap(EventLog, (log) => log.page(agentTopic, 0, 1000))

/** Lets messages come in, and what is to become of them happen. */
const comeIn = Effect.fnUntraced(function* (
  ...messages: ReadonlyArray<{ readonly key: string | null; readonly value: string | null }>
) {
  const listening = yield* Effect.forkChild(receiveActions)
  yield* Queue.offer((yield* Broker).incoming, messages)
  yield* settle
  yield* Fiber.interrupt(listening)
})

const agentOf = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-01-06T10:00:00.000Z"))
  const { caller, tenant } = yield* ownerOf("standard")
  const { credential_id: id } = yield* mint(caller, tenant, { kind: "mcp", tier: 1, label: "agent" })
  const row = yield* (yield* Credentials).find(id)
  return { caller, tenant, id, user: row?.user_id ?? "" }
})

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Agents>>) =>
  it.effect(title, () => Effect.provide(test(), Agents))

story("an agent's report is in the log once, in its tenant, and counts as a use", () =>
  Effect.gen(function* () {
    const { caller, id, tenant, user } = yield* agentOf
    const events = [report(user), report(user)]
    yield* comeIn(...events.map(messageOf))
    yield* comeIn(...events.map(messageOf))
    assert.deepStrictEqual(
      (yield* kept).map((_) => _.envelope),
      events.map((_) => ({ ..._, project_id: tenant.projectId }))
    )
    yield* foldUsage
    const { usage } = yield* showUsage(caller, true)
    assert.strictEqual(usage.find((_) => _.credential_id === id)?.call_count, 2)
    assert.strictEqual((yield* Broker).noted, 4)
  })
)

/** What the agent plane writes. */
const ours = (user: string, change: Readonly<Record<string, unknown>> = {}) =>
  report(user, { kind: agentActionKind, ...change })

story("a relayed event that comes back is ignored, and a forged one is refused", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
    const { user } = yield* agentOf
    const log = yield* EventLog
    const event = ours(user)
    const at = DateTime.makeUnsafe(event.at)
    yield* log.append([{ id: event.id, topic: agentTopic, key: user, at, envelope: event }])
    const reduced = { ...event, id: event.id.toUpperCase(), data: {} }
    const forgotten = ours(user, { at: "2025-11-05T10:00:00.000Z" })
    yield* Effect.provide(comeIn(...[event, reduced, forgotten].map(messageOf)), logger)
    const intake = (yield* BusHealth.BusHealth).intake()
    assert.deepStrictEqual([intake.kept.value, intake.refused.value, lines], [0, 0, []])
    assert.strictEqual((yield* Broker).noted, 3)

    yield* Effect.provide(comeIn(messageOf(ours(user)), messageOf(report(user))), logger)
    assert.deepStrictEqual([intake.kept.value, intake.refused.value, lines.length], [1, 1, 1])
    assert.deepStrictEqual(
      (yield* kept).map((_) => _.envelope["kind"]),
      [agentActionKind, "tool.called"]
    )
  })
)

story("a sender cannot place an event in a tenant", () =>
  Effect.gen(function* () {
    const { tenant, user } = yield* agentOf
    yield* comeIn(
      messageOf(report(user, { project_id: "somebody-elses" })),
      messageOf(report("stranger", { project_id: tenant.projectId }))
    )
    assert.deepStrictEqual(
      (yield* kept).map((_) => _.envelope["project_id"]),
      [tenant.projectId, null]
    )
  })
)

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
const good = messageOf(report("agent"))

/** What must not get into the log, and must not hold up what is behind it. */
const refused: Readonly<Record<string, { readonly key: string | null; readonly value: string | null }>> = {
  "an empty message": { key: "agent", value: null },
  "no JSON": { key: "agent", value: "secret{" },
  "no event": { key: "agent", value: '{"secret": 1}' },
  "another topic": messageOf(report("agent", { topic: "api.audit" })),
  "another key than the message's": { ...messageOf(report("somebody")), key: "agent" },
  "no key": { ...good, key: null },
  "an empty key": messageOf(report("")),
  "a key that no user has": messageOf(report("a\0b")),
  "a key without end": messageOf(report("a".repeat(256))),
  "a field that events do not have in its place": messageOf(report("agent", { data: "secret" })),
  "a malformed id": messageOf(report("agent", { id: "secret" })),
  "an id as the gateway makes its own": messageOf(report("agent", { id: "5b0c4b5e-6f0a-8f43-8f0e-0d3b1f0c9a11" })),
  "a malformed time": messageOf(report("agent", { at: "2026-13-05T10:00:00.000Z" })),
  "a moment before what is kept": messageOf(report("agent", { at: "2025-12-01T10:00:00.000Z" })),
  "too much": messageOf(report("agent", { data: { text: "x".repeat(65_536) } })),
  // Whoever reads on from each of the marks, to the end, never gets there.
  "millions of quotation marks behind backslashes": {
    key: "agent",
    value: `${agentActionKind}"${'\\"'.repeat(4_000_000)}`
  },
  "too many values": messageOf(report("agent", { data: { list: Array.from({ length: 4_001 }, () => 0) } })),
  "too much depth": {
    key: "agent",
    value: JSON.stringify(report("agent", { data: { deep: "DEEP" } })).replace('"DEEP"', deep(30_000))
  }
}

for (const [what, message] of Object.entries(refused)) {
  story(`skips ${what}, and logs that without its content`, () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      yield* TestClock.setTime(Date.parse("2026-01-06T10:00:00.000Z"))
      const event = report("agent")
      yield* Effect.provide(comeIn(message, messageOf(event)), logger)
      assert.deepStrictEqual(
        (yield* kept).map((_) => _.id),
        [event.id]
      )
      const intake = (yield* BusHealth.BusHealth).intake()
      assert.deepStrictEqual([intake.kept.value, intake.refused.value], [1, 1])
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "are not valid agent events")
      assert.notInclude(lines[0], "secret")
    })
  )
}

story("brackets in text do not count as depth", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-01-06T10:00:00.000Z"))
    yield* comeIn(messageOf(report("agent", { data: { text: `"${deep(100)}\\` } })))
    assert.lengthOf(yield* kept, 1)
  })
)

story("an event from a clock that is ahead gets the present time", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-01-06T10:00:00.000Z"))
    yield* comeIn(messageOf(report("agent", { at: "2027-01-05T10:00:00.000Z" })))
    assert.deepStrictEqual(
      (yield* kept).map((_) => _.envelope["at"]),
      ["2026-01-06T10:00:00.000Z"]
    )
  })
)

story("an id in capitals names the same event", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-01-06T10:00:00.000Z"))
    const event = report("agent")
    yield* comeIn(messageOf(event), messageOf({ ...event, id: event.id.toUpperCase() }))
    assert.deepStrictEqual(
      (yield* kept).map((_) => _.id),
      [event.id]
    )
  })
)

story("a message that the log did not store is not committed as read", () =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const broken = EventLog.of({ ...log, append: () => Effect.die(new Error("the database is away")) })
    yield* Effect.provideService(comeIn(good), EventLog, broken)
    assert.strictEqual((yield* Broker).noted, 0)
    assert.notStrictEqual((yield* BusHealth.BusHealth).state(), "unreachable", "the brokers were not the trouble")
  })
)

story("readiness reports unreachable brokers until they recover", () =>
  Effect.gen(function* () {
    const { state } = yield* BusHealth.BusHealth
    const { troubles } = yield* Broker
    troubles.set("*", "down")
    yield* receiveActions
    assert.strictEqual(state(), "unreachable")
    troubles.clear()
    yield* comeIn(good)
    assert.strictEqual(state(), "ok")
  })
)
