import { assert, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import type { AgentActionLine, AuditEnd, AuditFilters, AuditLine, AuditPage } from "@portico/contract/Audit"
import { AgentActionEvent, agentTopic, AuditEvent, auditTopic, type Event } from "@portico/contract/Events"
import { AuditRing } from "@portico/domain/audit/AuditRing"
import { auditTopics, entryOf as entryOfRow } from "@portico/domain/audit/entry"
import { Exports } from "@portico/domain/audit/Exports"
import { exportAudit } from "@portico/domain/audit/exportAudit"
import { pruneEvents } from "@portico/domain/events/prune"
import { readAudit } from "@portico/domain/audit/readAudit"
import { Ring } from "@portico/domain/audit/Ring"
import { maxExamined } from "@portico/domain/events/findInLog"
import { Bus } from "@portico/domain/events/Bus"
import { Publisher } from "@portico/domain/events/Publisher"
import { Tail } from "@portico/domain/events/Tail"
import { Stopping } from "@portico/domain/health/Stopping"
import { EventLog } from "@portico/store/EventLog"
import * as Store from "@portico/store/Store"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { DateTime, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { turn } from "@portico/testing/clock"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { administrator, callerOf } from "@portico/testing/tenants/caller"

/** So few that most questions go beyond it. */
const ringSize = 25

const reading = Layer.mergeAll(AuditRing.layerOf(ringSize), Publisher.layer, Exports.layer, Stopping.layer).pipe(
  Layer.provideMerge(Layer.merge(Bus.layer, Tail.layer)),
  Layer.orDie
)
const InMemory = reading.pipe(Layer.provideMerge(MemoryStore.layer))
const OnPostgres = reading.pipe(Layer.provideMerge(Store.layerNoDeps), Layer.provideMerge(TestDatabase.layer))

/** The entry of an event at some place in the log. */
const entryOf = (sequence: number, event: AuditEvent) =>
  entryOfRow({ ...event, sequence, at: DateTime.makeUnsafe(event.at), envelope: event }, event)

type Needs = Layer.Success<typeof InMemory>
type Shared = Layer.Success<typeof reading> | Store.Store

/** What a call is, where it matters for what is asked. */
interface Made {
  readonly project: string | null
  readonly method: "POST" | "DELETE"
  readonly status: number | null
  readonly credential: string | null
  readonly resource: string
  /** Seconds between its end and its arrival in the log. */
  readonly late: number
  /** Through a tool of the agent plane, or as an agent runtime reports it. Otherwise it is a call of the API. */
  readonly by?: "tool" | "runtime"
}

const usual: Made = { project: "acme", method: "POST", status: 201, credential: "cred-1", resource: "r-1", late: 0 }

/** What an agent runtime reports is not on the audit, and may come very late. */
const reportOf = (made: Made, now: number): Event => ({
  id: randomUUID(),
  topic: agentTopic,
  kind: "tool.called",
  at: DateTime.formatIso(DateTime.makeUnsafe(Math.max(0, now - made.late * 800_000))),
  key: "user-of-an-agent",
  project_id: made.project,
  data: { tool: "list_servers", outcome: "ok" }
})

const actionOf = (made: Made, now: number): AgentActionEvent => {
  const { data, ...event } = eventOf(made, now)
  const { credential_id, method, parameters, request_id, resources, route, source, status, tier, user_id } = data
  return {
    ...event,
    topic: agentTopic,
    kind: "agent.tool_called",
    data: {
      credential_id,
      method,
      request_id,
      resources,
      route,
      source,
      status,
      user_id: user_id ?? "user-of-nobody",
      tier: tier ?? 0,
      tool: "things_create",
      arguments: parameters,
      outcome: "succeeded",
      code: null
    }
  }
}

const madeOf = (made: Made, now: number) =>
  made.by === "tool" ? actionOf(made, now) : made.by === "runtime" ? reportOf(made, now) : eventOf(made, now)

/** @param now milliseconds since the epoch, of its arrival */
const eventOf = (made: Made, now: number): AuditEvent => ({
  id: randomUUID(),
  topic: auditTopic,
  kind: "api.call",
  at: DateTime.formatIso(DateTime.makeUnsafe(Math.max(0, now - made.late * 1000))),
  key: made.credential ?? "unknown",
  project_id: made.project,
  data: {
    method: made.method,
    route: made.method === "POST" ? "/v1/things" : "/v1/things/:id",
    resources: made.method === "POST" ? [] : [made.resource],
    status: made.status,
    parameters: [],
    fields: ["name"],
    user_id: made.credential === null ? null : `user-${made.credential}`,
    credential_id: made.credential,
    tier: made.credential === null ? null : 2,
    source: "192.0.2.1",
    ...(made.credential === null ? {} : { actor: "key" as const }),
    request_id: randomUUID().replaceAll("-", "")
  }
})

/** Brings events into the log as another replica would. */
const append = Effect.fnUntraced(function* (made: ReadonlyArray<Made>, now: number) {
  const events = made.map((_) => madeOf(_, now))
  const bus = yield* Bus
  for (let at = 0; at < events.length; at += 1000) yield* bus.publish(events.slice(at, at + 1000))
  return events
})

/** Until this process has heard of everything in the log. */
const heard = Effect.gen(function* () {
  const { newest } = yield* EventLog
  const ring = yield* AuditRing
  const sequence = yield* newest(auditTopics)
  for (;;) {
    const asked = yield* Effect.forkChild(ring.hasUpTo(sequence))
    // The database answers in a time of its own.
    yield* turn
    yield* TestClock.adjust("200 millis")
    if (yield* Fiber.join(asked)) return
  }
})

type Query = AuditFilters & { readonly order: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }

/** The pages of a question, one after the other. */
const pages = Effect.fnUntraced(function* (caller: Caller, query: Query) {
  const found: Array<AuditPage> = []
  let cursor = query.cursor
  do {
    const page = yield* readAudit(caller, "operator", { ...query, ...(cursor === undefined ? {} : { cursor }) })
    found.push(page)
    cursor = page.next_cursor ?? undefined
    assert.isBelow(found.length, 1000)
  } while (cursor !== undefined)
  return found
})

const idsOf = (found: ReadonlyArray<AuditPage>) => found.flatMap((_) => _.records.map((record) => record.id))

const never = () => false

const exported = Effect.fnUntraced(function* (caller: Caller, query: AuditFilters & { readonly cursor?: string }) {
  const all = yield* Effect.scoped(
    Effect.flatMap(exportAudit(caller, "operator", query, never), (_) => Stream.runCollect(_))
  )
  const lines = all.filter((_): _ is AuditLine | AgentActionLine => "id" in _)
  const ends = all.filter((_): _ is AuditEnd => "end" in _)
  assert.lengthOf(ends, 1)
  assert.deepStrictEqual(all.at(-1), ends[0])
  return { ids: lines.map((_) => _.id), lines, end: ends[0]! }
})

const decode = Schema.decodeUnknownSync(Schema.Union([AuditEvent, AgentActionEvent]))

/** What the answer has to be, looked up the slow way. */
const expected = Effect.fnUntraced(function* (
  caller: Caller,
  query: AuditFilters & { readonly order: "asc" | "desc" }
) {
  const log = yield* EventLog
  const rows = [...(yield* log.page(auditTopic, 0, 1_000_000)), ...(yield* log.page(agentTopic, 0, 1_000_000))]
  const ordered = rows.toSorted((one, other) => one.sequence - other.sequence)
  const fitting = ordered.filter(({ envelope }) => {
    if (envelope["kind"] === "tool.called") return false
    const { at, data, project_id, topic } = decode(envelope)
    const actor = topic === agentTopic ? "agent" : "actor" in data ? data.actor : "unknown"
    const project = caller.tenant?.projectId ?? query.project_id
    return (
      (project === undefined || project_id === project) &&
      (query.since === undefined || Date.parse(at) >= Date.parse(query.since)) &&
      (query.until === undefined || Date.parse(at) < Date.parse(query.until)) &&
      (query.actor === undefined || actor === query.actor) &&
      (query.method === undefined || data.method === query.method) &&
      (query.credential_id === undefined || data.credential_id === query.credential_id) &&
      (query.resource === undefined || data.resources.includes(query.resource)) &&
      (query.status === undefined ||
        (query.status.endsWith("xx")
          ? Math.floor((data.status ?? 0) / 100) === Number(query.status[0])
          : String(data.status) === query.status))
    )
  })
  const ids = fitting.map((_) => _.id)
  return query.order === "asc" ? ids : ids.toReversed()
})

const call: fc.Arbitrary<Made> = fc
  .record({
    project: fc.constantFrom("acme", "acme", "globex", null),
    method: fc.constantFrom("POST", "DELETE"),
    status: fc.constantFrom(201, 204, 404, 403, null),
    credential: fc.constantFrom("cred-1", "cred-2", null),
    resource: fc.constantFrom("r-1", "r-2"),
    late: fc.constantFrom(0, 0, 1, 30, 3000),
    by: fc.constantFrom(undefined, undefined, "tool" as const, "runtime" as const)
  })
  .map(({ by, ...made }) => (by === undefined ? made : { ...made, by }))

const optional = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined })

const day = 86_400_000

/** When it is now, in the stories: the calls were made in the days before. */
const today = 50 * day

/** Moments around the calls. */
const moment = fc
  .tuple(fc.integer({ min: 0, max: 50 }), fc.constantFrom(0, 1, 60, 3600, 7200))
  .map(([days, seconds]) => DateTime.formatIso(DateTime.makeUnsafe(days * day + seconds * 1000)))

const question = fc.record({
  tenant: fc.constantFrom("acme", "globex", "nobody", undefined),
  order: fc.constantFrom("asc" as const, "desc" as const),
  limit: fc.integer({ min: 1, max: 30 }),
  project_id: optional(fc.constantFrom("acme", "globex")),
  since: optional(moment),
  until: optional(moment),
  actor: optional(fc.constantFrom("agent" as const, "key" as const, "unknown" as const)),
  method: optional(fc.constantFrom("POST" as const, "DELETE" as const)),
  status: optional(fc.constantFrom("201", "2xx", "4xx", "500")),
  credential_id: optional(fc.constantFrom("cred-1", "cred-2", "cred-3")),
  resource: optional(fc.constantFrom("r-1", "r-3"))
})

/** What happens to the log, one after the other. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.array(call, { minLength: 1, maxLength: 60 }).map((_) => ({ calls: _ })) },
  { weight: 2, arbitrary: fc.constantFrom(day / 1440, day / 24, day, 20 * day).map((_) => ({ pass: _ })) },
  { weight: 1, arbitrary: fc.constant({ prune: true }) }
)

const asked = fc.record({
  happenings: fc.array(happening, { minLength: 4, maxLength: 10 }),
  questions: fc.array(question, { minLength: 1, maxLength: 12 })
})

/** What is defined alone, as a query has it. */
const definedOf = <A extends object>(given: A) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]-?: Exclude<A[K], undefined>
  }

/** What is asked after what happened, of a store that is empty at first. */
const compared = Effect.fnUntraced(function* (
  { happenings, questions }: typeof asked extends fc.Arbitrary<infer A> ? A : never,
  count: (source: AuditPage["source"]) => void
) {
  let now = 0
  for (const one of happenings) {
    if ("calls" in one) yield* append(one.calls, now)
    else if ("pass" in one) now = Math.min(today, now + one.pass)
    else yield* pruneEvents
  }
  yield* heard
  for (const { tenant, ...rest } of questions) {
    const { project_id, ...others } = definedOf(rest)
    const caller = tenant === undefined ? administrator : callerOf(tenant)
    const query = tenant === undefined && project_id !== undefined ? { ...others, project_id } : others
    const found = yield* pages(caller, query)
    const wanted = yield* expected(caller, query)
    assert.deepStrictEqual(idsOf(found), wanted)
    for (const page of found) count(page.source)

    // Letter by letter, cursors too, as if there were no ring.
    const slow = yield* Effect.provideService(pages(caller, query), AuditRing, noRing)
    assert.strictEqual(JSON.stringify(found.map(withoutSource)), JSON.stringify(slow.map(withoutSource)))
    assert.isTrue(slow.every((_) => _.source === "durable"))

    const { limit: _, order, ...filters } = query
    const { end, ids } = yield* exported(caller, filters)
    assert.deepStrictEqual(order === "asc" ? ids : ids.toReversed(), wanted)
    assert.deepInclude(end, { complete: true, count: wanted.length })
  }
})

const noRing = AuditRing.of({ read: () => Effect.undefined, hasUpTo: () => Effect.succeed(false) })

const withoutSource = ({ source: _, ...page }: AuditPage) => page

const agreeing = (where: string, layer: Layer.Layer<Shared>, runs: number) =>
  it.effect(
    `the ring and the log answer random queries alike, ${where}`,
    Effect.fnUntraced(function* () {
      yield* TestClock.setTime(today)
      const sources = { ring: 0, durable: 0 }
      for (const example of fc.sample(asked, { numRuns: runs, seed: 20_260_105 })) {
        const compare = compared(example, (_) => void (sources[_] += 1))
        yield* Effect.provide(compare, layer, { local: true })
      }
      assert.isAbove(sources.ring, runs / 4)
      assert.isAbove(sources.durable, runs / 4)
    })
  )

agreeing("in memory", InMemory, 150)
agreeing("on PostgreSQL", Layer.orDie(OnPostgres), 10)

/** A story of a store in memory, on a day that is not the first. */
const story = <E>(title: string, test: () => Effect.Effect<void, E, Needs>) =>
  it.effect(title, () => Effect.andThen(TestClock.setTime(today), Effect.provide(test(), InMemory)))

const acme = callerOf("acme")
const newest: Query = { order: "desc" }
const oldest: Query = { order: "asc" }

story(
  "a page has the latest records, and new records do not move the later pages",
  Effect.fnUntraced(function* () {
    const events = yield* append(
      Array.from({ length: 5 }, () => usual),
      today
    )
    yield* heard
    const first = yield* readAudit(acme, "customer", { ...newest, limit: 2 })
    assert.deepStrictEqual(idsOf([first]), [events[4]?.id, events[3]?.id])
    assert.deepStrictEqual<unknown>(first.records[0], {
      id: events[4]!.id,
      at: events[4]!.at,
      project_id: "acme",
      ...events[4]!.data,
      tool: null
    })
    yield* append([usual, usual], today)
    yield* heard
    const rest = yield* pages(acme, { ...newest, limit: 2, cursor: first.next_cursor! })
    assert.deepStrictEqual(idsOf(rest), [events[2]?.id, events[1]?.id, events[0]?.id])
    assert.deepStrictEqual(
      rest.map((_) => _.next_cursor === null),
      [false, true]
    )
    const end = rest.at(-1)!.last_cursor!
    const none = yield* readAudit(acme, "customer", { ...newest, cursor: end })
    assert.deepInclude(none, { records: [], next_cursor: null, last_cursor: end })
    const upwards = yield* pages(acme, { ...oldest, limit: 2, cursor: end })
    assert.deepStrictEqual(
      idsOf(upwards).slice(0, 4),
      events.slice(1).map((_) => _.id)
    )
    const [next] = yield* append([usual], today)
    assert.deepStrictEqual(idsOf(yield* pages(acme, { ...oldest, cursor: upwards.at(-1)!.last_cursor! })), [next?.id])
    assert.isNull((yield* readAudit(callerOf("globex"), "customer", oldest)).last_cursor)
  })
)

story(
  "a tenant reads its own records alone, and anonymous calls are for operators",
  Effect.fnUntraced(function* () {
    const of = (project: string | null) => ({ ...usual, project, ...(project === null ? { credential: null } : {}) })
    const [mine, yours, stranger] = yield* append([of("acme"), of("globex"), of(null)], today)
    yield* heard
    for (const ring of [yield* AuditRing, noRing]) {
      const read = (caller: Caller, plane: "customer" | "operator", query: Query) =>
        Effect.map(Effect.provideService(readAudit(caller, plane, query), AuditRing, ring), (_) => idsOf([_]))
      for (const plane of ["customer", "operator"] as const) {
        assert.deepStrictEqual(yield* read(acme, plane, oldest), [mine?.id])
        assert.deepStrictEqual(yield* read(acme, plane, { ...oldest, project_id: "acme" }), [mine?.id])
        const no = yield* Effect.flip(read(acme, plane, { ...oldest, project_id: "globex" }))
        const none = yield* Effect.flip(read(acme, plane, { ...oldest, project_id: "no-one" }))
        assert.deepStrictEqual([no._tag, none._tag], ["NotFound", "NotFound"])
      }
      assert.deepStrictEqual(yield* read(administrator, "operator", oldest), [mine?.id, yours?.id, stranger?.id])
      assert.deepStrictEqual(yield* read(administrator, "operator", { ...oldest, project_id: "globex" }), [yours?.id])
      assert.deepStrictEqual(yield* read(administrator, "operator", { ...oldest, project_id: "gone" }), [])
      for (const query of [oldest, { ...oldest, project_id: "acme" }]) {
        assert.strictEqual((yield* Effect.flip(read(administrator, "customer", query))).code, "tenant_required")
      }
    }
    assert.deepStrictEqual((yield* exported(acme, {})).ids, [mine?.id])
    assert.strictEqual(
      (yield* Effect.flip(Effect.scoped(exportAudit(acme, "operator", { project_id: "globex" }, never))))._tag,
      "NotFound"
    )
    assert.strictEqual(
      (yield* Effect.flip(Effect.scoped(exportAudit(administrator, "customer", {}, never)))).code,
      "tenant_required"
    )
  })
)

story(
  "a page examines a limited number of records, and has a cursor even when empty",
  Effect.fnUntraced(function* () {
    const [first] = yield* append([{ ...usual, credential: "rare" }], today)
    yield* append(
      Array.from({ length: maxExamined }, () => usual),
      today
    )
    const [last] = yield* append([{ ...usual, credential: "rare" }], today)
    const found = yield* pages(acme, { ...newest, credential_id: "rare" })
    assert.deepStrictEqual(
      found.map((_) => idsOf([_])),
      [[last?.id], [first?.id]]
    )
    const whole = yield* pages(acme, { ...newest, limit: 1000 })
    assert.lengthOf(idsOf(whole), maxExamined + 2)
  })
)

/** A log that counts how many rows are read of it, and can fail. */
const watched = Effect.gen(function* () {
  const log = yield* EventLog
  const state = { rows: 0, reads: 0, failing: false }
  const read: typeof log.read = (reading) =>
    Effect.suspend(() => (state.failing ? Effect.die("the log is gone") : log.read(reading))).pipe(
      Effect.tap((rows) =>
        Effect.sync(() => {
          state.rows += rows.length
          state.reads += 1
        })
      )
    )
  return { state, log: EventLog.of({ ...log, read }) }
})

story(
  "a time range is read without the records before and after it",
  Effect.fnUntraced(function* () {
    const at = (days: number) => DateTime.formatIso(DateTime.makeUnsafe(days * day))
    const many = Array.from({ length: 500 }, () => usual)
    for (const days of [30, 40]) yield* append(many, days * day)
    const [event] = yield* append([usual], 42 * day)
    for (const days of [45, 45, 48]) yield* append(many, days * day)
    for (const order of ["asc", "desc"] as const) {
      const { log, state } = yield* watched
      const asking = pages(acme, { order, since: at(41), until: at(43) })
      const found = yield* asking.pipe(Effect.provideService(EventLog, log), Effect.provideService(AuditRing, noRing))
      assert.deepStrictEqual(idsOf(found), [event?.id])
      assert.isAtMost(state.rows, 1001, order)
    }
    const { log, state } = yield* watched
    const asking = exported(acme, { since: at(44), until: at(46) })
    assert.lengthOf((yield* Effect.provideService(asking, EventLog, log)).ids, 1000)
    assert.isAtMost(state.rows, 2001)
  })
)

story(
  "the ring asks the log for no records, and does not answer for evicted ones",
  Effect.fnUntraced(function* () {
    const ids = (yield* append(
      Array.from({ length: ringSize + 5 }, () => usual),
      today
    )).map((_) => _.id)
    yield* heard
    const { log, state } = yield* watched
    const ask = (query: Query, caller = acme) =>
      Effect.provideService(readAudit(caller, "operator", query), EventLog, log)
    const near = yield* ask({ ...newest, limit: 10 })
    assert.deepStrictEqual([near.source, idsOf([near])], ["ring", ids.toReversed().slice(0, 10)])
    assert.strictEqual(state.reads, 0)
    assert.strictEqual((yield* ask({ ...newest, limit: ringSize })).source, "durable")
    assert.strictEqual((yield* ask({ ...newest, limit: ringSize - 1 })).source, "ring")
    assert.strictEqual((yield* ask(oldest)).source, "durable")
    assert.strictEqual((yield* ask(newest, callerOf("nobody"))).source, "durable")
    assert.strictEqual((yield* ask({ ...newest, limit: 10, cursor: near.next_cursor! })).source, "ring")
  })
)

it("a ring is limited in number and size of records, and knows from where it is complete", () => {
  const span = { order: "desc", projectId: undefined, start: 2 ** 40, stop: 0 } as const
  const length = JSON.stringify(entryOf(1, eventOf(usual, today)).record).length
  for (const [size, characters, kept] of [
    [3, 2 ** 40, 3],
    [1000, length * 4, 4],
    [1000, length - 1, 0]
  ] as const) {
    const ring = new Ring(0, size, characters)
    for (let sequence = 1; sequence <= 5000; sequence++) ring.add(entryOf(sequence, eventOf(usual, today)))
    ring.add(entryOf(4999, eventOf(usual, today)))
    assert.deepStrictEqual([ring.newest, ring.floor], [5000, 5000 - kept])
    assert.isUndefined(ring.read(span, 2 ** 40, 1000, 0))
    const found = ring.read({ ...span, stop: 5000 - kept }, 2 ** 40, 1000, 0)
    assert.deepStrictEqual(
      found?.map((_) => _.sequence),
      [5000, 4999, 4998, 4997].slice(0, kept)
    )
  }
})

story(
  "the ring does not answer for what the log may have pruned",
  Effect.fnUntraced(function* () {
    const [old] = yield* append([usual], today - 30 * day + 1800 * 1000)
    const [recent] = yield* append([usual], today - 29 * day)
    yield* heard
    const near = yield* readAudit(acme, "customer", { ...newest, limit: 1, since: "1970-01-21T12:00:00Z" })
    assert.deepStrictEqual([near.source, idsOf([near])], ["ring", [recent?.id]])
    const far = yield* readAudit(acme, "customer", newest)
    assert.deepStrictEqual([far.source, idsOf([far])], ["durable", [recent?.id, old?.id]])
    assert.strictEqual((yield* readAudit(callerOf("globex"), "customer", newest)).source, "ring")
  })
)

story(
  "a ring without the newest record does not answer",
  Effect.fnUntraced(function* () {
    const ring = yield* AuditRing
    const [event] = yield* append([usual], today)
    yield* heard
    const deaf = AuditRing.of({ ...ring, hasUpTo: (sequence) => Effect.succeed(sequence <= 1) })
    const ask = Effect.provideService(readAudit(acme, "customer", newest), AuditRing, deaf)
    assert.strictEqual((yield* ask).source, "ring")
    const [later] = yield* append([usual], today)
    assert.deepInclude(yield* ask, { source: "durable" })
    assert.deepStrictEqual(idsOf([yield* ask]), [later?.id, event?.id])
  })
)

story(
  "this process's own pending records are in the answer",
  Effect.fnUntraced(function* () {
    const { publish } = yield* Publisher
    const event = eventOf(usual, today)
    yield* publish(event)
    assert.deepStrictEqual(idsOf([yield* readAudit(acme, "customer", newest)]), [event.id])
  })
)

story(
  "an export resumes at its cursor, and has each record once",
  Effect.fnUntraced(function* () {
    const first = yield* append(
      Array.from({ length: 2500 }, () => usual),
      today
    )
    const one = yield* exported(acme, {})
    assert.deepStrictEqual(
      one.ids,
      first.map((_) => _.id)
    )
    const { cursor, ...event } = one.lines[7]!
    assert.deepStrictEqual(event, first[7])
    assert.deepStrictEqual(
      (yield* exported(acme, { cursor })).ids,
      first.slice(8).map((_) => _.id)
    )
    assert.deepStrictEqual(one.end, { end: true, complete: true, count: 2500, cursor: one.lines.at(-1)!.cursor })

    const nothing = yield* exported(acme, { cursor: one.end.cursor })
    assert.deepStrictEqual([nothing.ids, nothing.end], [[], { ...one.end, count: 0 }])
    yield* append([{ ...usual, project: "globex" }], today)
    const theirs = yield* exported(acme, { cursor: one.end.cursor })
    const later = yield* append([usual], today)
    assert.deepStrictEqual((yield* exported(acme, { cursor: theirs.end.cursor })).ids, [later[0]?.id])
  })
)

story(
  "an export cut by time or stop has a cursor; one that fails has none",
  Effect.fnUntraced(function* () {
    yield* append(
      Array.from({ length: 2500 }, () => usual),
      today
    )
    const { log, state } = yield* watched
    let ended = false
    const exporting = Effect.provideService(
      exportAudit(acme, "customer", {}, () => ended),
      EventLog,
      log
    )
    const collect = (after: Effect.Effect<unknown>) =>
      Effect.scoped(
        Effect.flatMap(exporting, (lines) =>
          Stream.runCollect(Stream.tap(lines, (_) => ("id" in _ && isNth(_) ? Effect.asVoid(after) : Effect.void)))
        )
      )
    let seen = 0
    const isNth = (_: unknown) => (seen += 1) === 500

    const slow = yield* collect(TestClock.adjust("5 minutes"))
    const end = slow.at(-1)
    assert.lengthOf(slow, 501)
    assert.deepInclude(end, { end: true, complete: false, count: 500 })
    assert.isDefined(end)
    assert.lengthOf((yield* exported(acme, { cursor: end.cursor })).ids, 2000)

    seen = 0
    const cut = yield* collect(Effect.sync(() => (ended = true)))
    assert.deepInclude(cut.at(-1), { end: true, complete: false, count: 500 })
    ended = false

    seen = 0
    const broken = yield* Effect.exit(collect(Effect.sync(() => (state.failing = true))))
    assert.isTrue(broken._tag === "Failure")
    assert.strictEqual(seen, 500)
    state.failing = false

    seen = 0
    const { begin } = yield* Stopping
    const stopped = yield* collect(Effect.sync(begin))
    assert.lengthOf(stopped, 501)
    assert.deepInclude(stopped.at(-1), { end: true, complete: false, count: 500 })
  })
)
