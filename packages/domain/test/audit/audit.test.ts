import { assert } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { AuditEvent } from "@portico/contract/Events"
import { burst, type Completed, perSecond } from "@portico/domain/audit/Audit"
import { entryIn } from "@portico/domain/audit/entry"
import { fits, wantedOf } from "@portico/domain/audit/scan"
import { beyondRate, refused } from "@portico/domain/audit/RejectedCalls"
import { Publisher } from "@portico/domain/events/Publisher"
import { EventLog } from "@portico/store/EventLog"
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import {
  changes,
  elapse,
  published,
  saying,
  secondsOf,
  started,
  startedWith,
  storiesOf,
  Unreliable
} from "../events/stories.ts"

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
    "have actor and act, with the key of the credential, the user, or a constant",
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
          request_id: "4bf92f3577b34da6a3ce929d0e0e4736",
          actor: "key"
        }
      })
      assert.deepInclude(second, { key: "operator", project_id: null })
      assert.deepInclude(second?.data, { status: null, fields: null, credential_id: null, tier: 2 })
      assert.deepInclude(third, { key: "unknown", project_id: null })
      assert.deepInclude(third?.data, { status: 401, user_id: null, credential_id: null, tier: null })
    })
  )

  story(
    "list only well-formed names, up to a limit",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      const many = (count: number) => Array.from({ length: count }, (_, index) => `name_${index}`)
      const odd = ["", "two words", "7", "a=b", "\u0000", "é", "x".repeat(65), "-----BEGIN"]
      yield* audit(call({ parameters: [...odd, "a", "a", "b.c", "d-e", "$f"], fields: [...odd, ...many(60)] }))
      const blanks = ["", " a", "a ", "a\u202eb", "a\nb", "\u0000", "ä".repeat(513), "-----BEGIN\nabc"]
      const things = ["Q3 größe=1, (2).pdf", "x".repeat(200), "cred-1", "%41", "a/b/c.txt"]
      yield* audit(call({ resources: [...blanks, ...things, ...many(12)] }))
      // A known caller may name the longest key, an unknown one may not.
      for (const caller of [undefined, someone]) yield* audit(call({ caller, resources: ["ä".repeat(512)] }))
      yield* published([])
      const [first, second, nobodys, known] = yield* trail
      assert.deepStrictEqual(
        [nobodys, known].map((_) => _?.data.resources),
        [[], ["ä".repeat(512)]]
      )
      assert.deepStrictEqual(first?.data.parameters, ["a", "b.c", "d-e"])
      assert.deepStrictEqual(first?.data.fields, many(50))
      assert.deepStrictEqual(second?.data.resources, [...things, ...many(5)])
    })
  )

  story(
    "contain no token in place of an id or name, nor names of its length",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      const random = (seed: string) => createHash("sha512").update(seed).digest("base64url")
      const tokens = Array.from({ length: 500 }, (_, index) => random(String(index)))
      const jwt = ["eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9", random("payload"), random("signature")].join(".")
      for (const token of [...tokens, ...tokens.map((_) => _.slice(0, 43)), jwt]) {
        yield* audit(call({ caller: someone, resources: [token], fields: [token.slice(0, 64)], parameters: [token] }))
      }
      const things = [
        "8c2f6b0e-8f5d-4f0b-9a39-2f1f0a6a7c55",
        createHash("sha256").update("x").digest("hex"),
        "Backup_Report_2026-01-31_FinalVersion_ofEverything_V2.pdf",
        "IMG20260131123456_HDR_Portrait_EditedInDarkroom01.JPG",
        "arn:aws:s3:::Photos/2026/A1B2/Summer-Holiday-In-Norway-Part-3",
        "AKIA$project-0123456789abcdef0123456789ABCDEF"
      ]
      yield* audit(call({ caller: someone, resources: things }))
      yield* published([])
      const rows = yield* trail
      const last = rows.at(-1)
      assert.deepStrictEqual(last?.data.resources, things)
      for (const { data } of rows.slice(0, -1)) {
        assert.match(data.resources.join(), /^[\w-]{8}…|^eyJhbGci….*….*…$/)
        assert.isBelow(data.resources.join().length, 32)
        assert.deepStrictEqual([data.fields, data.parameters], [[], []])
      }
    })
  )

  story(
    "are found by a random name in full, though they store only its beginning",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      const key = `photos/${createHash("sha512").update("key").digest("base64url")}.jpg`
      yield* audit(call({ caller: someone, resources: ["bucket", key] }))
      yield* published([])
      const [row] = yield* (yield* EventLog).page("api.audit", 0, 10)
      const { at, record } = entryIn(row ?? assert.fail("no record"))
      assert.isDefined(record)
      assert.notInclude(JSON.stringify(record), key)
      const isFound = (resource: string) => fits(wantedOf({ resource }), at, record)
      assert.deepStrictEqual(["bucket", key, `${key}x`, key.slice(0, 12)].map(isFound), [true, true, false, false])
    })
  )

  story(
    "queue in order for a failing log, apart from the ledger's events",
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
    "are in the log when their calls have ended",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      yield* Effect.forEach(["one", "two"], (_) => audit(call({ request_id: _ })), { concurrency: 2, discard: true })
      assert.deepStrictEqual(
        (yield* trail).map((_) => _.data.request_id),
        ["one", "two"]
      )
    })
  )

  story(
    "delay a call by a second at most when the log hangs, and not when it fails",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      const { become } = yield* Unreliable
      const seconds = (id: string) => secondsOf(audit(call({ request_id: id })))
      yield* become("hangs")
      assert.strictEqual(yield* seconds("patient"), 1)
      assert.strictEqual(yield* seconds("warned"), 0)
      yield* become("fails")
      yield* elapse(40)
      assert.strictEqual(yield* seconds("refused"), 0)
      yield* become(undefined)
      yield* elapse(40)
      assert.strictEqual(yield* seconds("again"), 0)
      assert.deepStrictEqual(
        (yield* trail).map((_) => _.data.request_id),
        ["patient", "warned", "refused", "again"]
      )
    })
  )

  story(
    "of anonymous calls are limited in a flood, and of known callers always stored",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      yield* TestClock.adjust("1 hour")
      yield* Effect.forEach(Array.from({ length: burst + 20 }), () => audit(call({ status: 401 })), {
        concurrency: "unbounded",
        discard: true
      })
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

  story(
    "of a tenant's refused calls are limited, and of its other calls always stored",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      yield* TestClock.adjust("1 hour")
      for (let nth = 1; nth <= refused.burst + 20; nth++) {
        yield* audit(call({ caller: someone, status: nth % 2 === 0 ? 403 : 404 }))
      }
      for (const status of [201, 429, 502, null]) yield* audit(call({ caller: someone, status }))
      yield* TestClock.adjust("1 second")
      for (let nth = 0; nth <= refused.perSecond; nth++) yield* audit(call({ caller: someone, status: 422 }))
      yield* elapse(1)

      const recorded = yield* trail
      const of = (...statuses: ReadonlyArray<number | null>) =>
        recorded.filter((_) => statuses.includes(_.data.status)).length
      assert.deepStrictEqual([of(403, 404), of(422), of(201, 429, 502, null)], [refused.burst, refused.perSecond, 4])
    })
  )

  story(
    "of a tenant above its rate limit are limited for refusals alone",
    Effect.fnUntraced(function* () {
      const { audit } = yield* started
      const other = new Caller({ ...callerOf("project-2"), tier: 1, credentialId: "cred-2" })
      yield* TestClock.adjust("1 hour")
      for (let nth = 1; nth <= beyondRate.burst + 20; nth++) yield* audit(call({ caller: someone, status: 429 }))
      yield* audit(call({ caller: someone, status: 403 }))
      yield* audit(call({ caller: other, status: 429 }))
      yield* TestClock.adjust("1 second")
      for (let nth = 0; nth <= beyondRate.perSecond; nth++) yield* audit(call({ caller: someone, status: 429 }))
      yield* elapse(1)

      const recorded = yield* trail
      const of = (key: string, status: number) =>
        recorded.filter((_) => _.key === key && _.data.status === status).length
      assert.strictEqual(of("cred-1", 429), beyondRate.burst + beyondRate.perSecond)
      assert.deepStrictEqual([of("cred-1", 403), of("cred-2", 429)], [1, 1])
      assert.lengthOf(yield* saying("20 calls of project project-1 that were refused were not recorded"), 1)
    })
  )
})
