import { assert, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { AuditEvent } from "@portico/contract/Events"
import type { Completed } from "@portico/domain/audit/Audit"
import { pruneAudit } from "@portico/domain/audit/prune"
import { burst, perSecond } from "@portico/domain/audit/Strangers"
import { Publisher } from "@portico/domain/events/Publisher"
import { EventLog } from "@portico/store/EventLog"
import * as Store from "@portico/store/Store"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf } from "./caller.ts"
import { changes, elapse, published, saying, started, startedWith, storiesOf, Unreliable } from "./lifecycle.stories.ts"

/** A call that is over, unless the story says otherwise. */
const call = (change: Partial<Completed> = {}): Completed => ({
  method: "POST",
  route: "/v1/credentials",
  resources: [],
  status: 201,
  parameters: [],
  fields: ["kind", "tier", "label"],
  source: "192.0.2.1",
  request_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  caller: undefined,
  ...change
})

const someone = new Caller({ ...callerOf("project-1"), tier: 1, credentialId: "cred-1" })

const decode = Schema.decodeUnknownEffect(AuditEvent, { onExcessProperty: "error" })

const trail = Effect.gen(function* () {
  const rows = yield* (yield* EventLog).page("api.audit", 0, 1_000_000)
  return yield* Effect.forEach(rows, (_) => Effect.orDie(decode(_.envelope)))
})

storiesOf("Audit events", (story) => {
  story(
    "say who did what, and are keyed by the credential, else the user, else a constant",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      yield* TestClock.adjust("1 hour")
      yield* audit(call({ caller: someone }))
      yield* audit(call({ caller: administrator, method: "DELETE", status: null, fields: null }))
      yield* audit(call({ status: 401 }))
      yield* published([])

      const [first, second, third, ...more] = yield* trail
      assert.deepStrictEqual(more, [])
      const { id, ...event } = first ?? {}
      assert.match(id ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual<unknown>(event, {
        topic: "api.audit",
        kind: "api.call",
        at: "1970-01-01T01:00:00.000Z",
        key: "cred-1",
        project_id: "project-1",
        data: {
          method: "POST",
          route: "/v1/credentials",
          resources: [],
          status: 201,
          parameters: [],
          fields: ["kind", "tier", "label"],
          user_id: "user-of-project-1",
          credential_id: "cred-1",
          tier: 1,
          source: "192.0.2.1",
          request_id: "4bf92f3577b34da6a3ce929d0e0e4736"
        }
      })
      assert.deepInclude(second, { key: "operator", project_id: null })
      assert.deepInclude(second?.data, { status: null, fields: null, credential_id: null, tier: 2 })
      assert.deepInclude(third, { key: "unknown", project_id: null })
      assert.deepInclude(third?.data, { status: 401, user_id: null, credential_id: null, tier: null })
    })
  )

  story(
    "hold names and ids that look like some, and never many",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      const many = (count: number) => Array.from({ length: count }, (_, index) => `name_${index}`)
      const odd = ["", "two words", "7", "a=b", "\u0000", "é", "x".repeat(65), "-----BEGIN"]
      yield* audit(call({ parameters: [...odd, "a", "a", "b.c", "d-e", "$f"], fields: [...odd, ...many(60)] }))
      yield* audit(call({ resources: ["", "a b", "x".repeat(201), "cred-1", "%41", ...many(12)] }))
      yield* published([])
      const [first, second] = yield* trail
      assert.deepStrictEqual(first?.data.parameters, ["a", "b.c", "d-e"])
      assert.deepStrictEqual(first?.data.fields, many(50))
      assert.deepStrictEqual(second?.data.resources, ["cred-1", ...many(9)])
    })
  )

  story(
    "wait for a log that fails, in order, and take no room from what the ledger hears",
    Effect.fnUntraced(function* () {
      const { audit, record } = yield* startedWith(Publisher.layerOf(10))
      const { become } = yield* Unreliable
      yield* become("fails")
      for (let nth = 1; nth <= 25; nth++) yield* audit(call({ request_id: `request-${nth}` }))
      for (const change of changes(5)) yield* record(change)
      yield* elapse(2)
      assert.lengthOf(yield* saying("an event is lost"), 15)
      yield* become(undefined)
      yield* elapse(60)
      assert.deepStrictEqual(
        (yield* trail).map((_) => _.data.request_id),
        Array.from({ length: 10 }, (_, index) => `request-${index + 1}`)
      )
      yield* published(changes(5).map((_) => _.data.resource_id))
      yield* audit(call({ request_id: "later" }))
      yield* published(changes(5).map((_) => _.data.resource_id))
      assert.strictEqual((yield* trail).at(-1)?.data.request_id, "later")
    })
  )

  story(
    "of a flood of strangers are kept up to a bound, and of those who are known always",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      yield* TestClock.adjust("1 hour")
      for (let nth = 1; nth <= burst + 20; nth++) yield* audit(call({ status: 401 }))
      yield* audit(call({ caller: someone }))
      yield* TestClock.adjust("1 second")
      for (let nth = 1; nth <= perSecond + 1; nth++) yield* audit(call({ status: 429 }))
      yield* elapse(1)

      const recorded = yield* trail
      const of = (status: number) => recorded.filter((_) => _.data.status === status).length
      assert.deepStrictEqual([of(401), of(201), of(429)], [burst, 1, perSecond])
      assert.lengthOf(yield* saying("20 calls without a known caller were not recorded"), 1)
    })
  )
})

it.effect("an audit event is kept for 30 days, and others are not touched", () =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const event = (id: string, topic: string, day: number) => ({
      id,
      topic,
      key: "cred-1",
      at: DateTime.makeUnsafe(day * 86_400_000),
      envelope: {}
    })
    yield* log.append([event("1", "api.audit", 1), event("2", "api.audit", 2), event("3", "billing.lifecycle", 1)])
    yield* TestClock.adjust("31 days")
    yield* pruneAudit
    const left = (topic: string) => Effect.map(log.page(topic, 0, 10), (_) => _.map(({ id }) => id))
    assert.deepStrictEqual(yield* left("api.audit"), ["1", "2"])
    yield* TestClock.adjust("1 second")
    yield* pruneAudit
    assert.deepStrictEqual(yield* left("api.audit"), ["2"])
    assert.deepStrictEqual(yield* left("billing.lifecycle"), ["3"])
  }).pipe(Effect.provide(Store.layerMemory))
)
