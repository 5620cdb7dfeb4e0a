import { assert, it, layer } from "@effect/vitest"
import { type AuditEvent, auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Memory } from "@portico/testing/store/Memory"
import { settle, turn } from "@portico/testing/clock"
import { DateTime, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { type IncomingMessage, request } from "node:http"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }
const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const get = Effect.fnUntraced(function* (plane: Plane, token: string, path: string) {
  const answer = yield* (yield* TestGateway).call(plane, "GET", path, { token })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

const page = (plane: Plane, token: string, query = "") =>
  Effect.map(get(plane, token, `/v1/audit${query}`), (_) => jsonOf(_))

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((_) => JSON.parse(_))

/** More than fits into what lies between the log and a client that does not read. */
const many = 10_000

/** The fewer records there are for so many bytes, the fewer have to be made and written as JSON. */
const route = `/v1/${"x".repeat(1_600)}`

/** Calls of a tenant that have long been over. */
const append = Effect.fnUntraced(function* (projectId: string, count: number) {
  const log = yield* EventLog
  const now = yield* DateTime.now
  for (let at = 0; at < count; at += 1000) {
    yield* log.append(
      Array.from({ length: Math.min(1000, count - at) }, () => {
        const id = randomUUID()
        const envelope: AuditEvent = {
          id,
          topic: auditTopic,
          kind: "api.call",
          at: DateTime.formatIso(now),
          key: "cred-1",
          project_id: projectId,
          data: {
            method: "POST",
            route,
            resources: [],
            status: 201,
            parameters: [],
            fields: ["name"],
            user_id: "user-1",
            credential_id: "cred-1",
            tier: 1,
            source: "192.0.2.1",
            request_id: id.replaceAll("-", "")
          }
        }
        return { id, topic: auditTopic, key: "cred-1", at: now, envelope }
      })
    )
  }
})

layer(Everything, live)("reading the audit", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: a tenant finds its latest record by each filter, and other tenants do not`, () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const { call } = yield* TestGateway
        const [, , token] = acme.tokens
        const made = yield* call(plane, "DELETE", "/v1/credentials/some-id?x=1", { token })
        assert.strictEqual(made.status, 422)
        const id = made.headers["x-request-id"] ?? ""
        const answer = yield* page(plane, acme.tokens[0], "?limit=1")
        const [record] = answer.records
        assert.strictEqual(answer.source, "ring")
        assert.deepInclude(record, {
          project_id: acme.projectId,
          method: "DELETE",
          route: "/v1/credentials/:credential_id",
          resources: ["some-id"],
          status: 422,
          parameters: ["x"],
          credential_id: acme.credentialIds[2],
          tier: 2,
          request_id: id
        })
        const finding = [
          `request_id=${id}`,
          `resource=some-id&limit=1`,
          `credential_id=${acme.credentialIds[2]}&method=DELETE&status=4xx&limit=1`,
          `user_id=${record.user_id}&status=422&route=${encodeURIComponent("/v1/credentials/:credential_id")}&limit=1`,
          `since=${record.at}&limit=1`
        ]
        for (const query of finding) {
          assert.deepStrictEqual((yield* page(plane, acme.tokens[0], `?${query}`)).records, [record], query)
        }
        assert.deepInclude(yield* page(plane, globex.tokens[2], `?request_id=${id}`), {
          records: [],
          next_cursor: null
        })
        assert.deepInclude(yield* page(plane, acme.tokens[0], `?request_id=${id}&until=${record.at}`), { records: [] })
        const theirs = yield* page(plane, globex.tokens[2], "?limit=1000")
        assert.isTrue(theirs.records.every((_: { project_id: string }) => _.project_id === globex.projectId))
        assert.isAbove(theirs.records.length, 2)

        const [end, ...lines] = linesOf(
          (yield* get(plane, acme.tokens[0], `/v1/audit/export?request_id=${id}`)).text
        ).toReversed()
        assert.deepInclude(end, { end: true, complete: true, count: 1 })
        assert.deepStrictEqual(
          lines.map((_) => [_.id, _.topic, _.data.request_id]),
          [[record.id, auditTopic, id]]
        )
      })
    )
  }

  it.effect("another tenant's project is 404, and an operator may name any", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const bare = (text: string) => text.replaceAll(globex.projectId, "P").replaceAll("nobody", "P")
      for (const path of ["/v1/audit", "/v1/audit/export"]) {
        const ask = (project: string) =>
          call("customer", "GET", `${path}?project_id=${project}`, { token: acme.tokens[2] })
        const [foreign, none] = [yield* ask(globex.projectId), yield* ask("nobody")]
        assert.deepStrictEqual([foreign.status, none.status], [404, 404])
        assert.strictEqual(bare(foreign.text), bare(none.text))
        assert.strictEqual((yield* ask(acme.projectId)).status, 200)
        assert.strictEqual((yield* call("operator", "GET", `${path}?project_id=gone`, { token: operator })).status, 200)
      }
      const { records } = yield* page("operator", operator, `?project_id=${globex.projectId}&limit=1000`)
      assert.isTrue(records.every((_: { project_id: string }) => _.project_id === globex.projectId))
      yield* call("customer", "POST", "/v1/credentials", { body: {} })
      const all = yield* page("operator", operator, "?limit=1")
      assert.deepInclude(all.records[0], { status: 401, project_id: null, user_id: null })
    })
  )

  it.effect("reads of the audit leave no record", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const before = yield* page("operator", operator, "?limit=1")
      yield* page("customer", acme.tokens[0])
      yield* get("customer", acme.tokens[0], "/v1/audit/export")
      assert.deepStrictEqual(yield* page("operator", operator, "?limit=1"), before)
    })
  )

  it.effect("an export that breaks off has no end line", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { events } = yield* Memory
      yield* append(acme.projectId, many)
      const whole = yield* get("customer", acme.tokens[0], "/v1/audit/export")
      assert.deepInclude(linesOf(whole.text).at(-1), { end: true, complete: true })

      const { text, over } = yield* opened("customer", acme.tokens[0], "/v1/audit/export")
      const values = events.values
      events.values = () => assert.fail("the log is gone")
      yield* Effect.promise(() => over())
      events.values = values
      assert.strictEqual(over.how, "broken off")
      assert.isAbove(text().length, 1000)
      assert.notInclude(text(), `"end":true`)
    })
  )

  it.effect("an export without a client, or a HEAD, stops reading the log", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { events } = yield* Memory
      const path = "/v1/audit/export"
      assert.isAbove(events.size, many)
      const values = events.values
      let reads = 0
      events.values = () => {
        reads += 1
        return values.call(events)
      }
      const { hangUp } = yield* opened("customer", acme.tokens[0], path)
      hangUp()
      yield* settle
      const before = reads
      // An export reads once in ten turns. Some reads belong to the tail of the log, which looks every second for what it missed.
      yield* Effect.repeat(turn, { times: 2000 })
      assert.isAtMost(reads - before, 5)

      const head = yield* (yield* TestGateway).call("customer", "HEAD", path, { token: acme.tokens[0] })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.isAtMost(reads - before, 12)
      events.values = values
    })
  )
})

/** An answer that nobody reads on until it is asked how it ended. */
const opened = Effect.fnUntraced(function* (plane: Plane, token: string, path: string) {
  const { url } = yield* TestGateway
  return yield* Effect.callback<{
    readonly text: () => string
    readonly hangUp: () => void
    readonly over: { (): Promise<void>; how?: "complete" | "broken off" }
  }>((resume) => {
    const asking = request(`${url[plane]}${path}`, { agent: false, headers: { authorization: `Bearer ${token}` } })
    asking.on("response", (incoming: IncomingMessage) => {
      let text = ""
      const over: { (): Promise<void>; how?: "complete" | "broken off" } = () =>
        new Promise((done) => {
          incoming.on("data", (_) => (text += _))
          incoming.on("error", () => {})
          incoming.on("close", () => {
            over.how = incoming.complete ? "complete" : "broken off"
            done()
          })
        })
      incoming.once("readable", () =>
        resume(Effect.succeed({ text: () => text, hangUp: () => void incoming.destroy(), over }))
      )
    })
    asking.end()
  })
})

it.effect("an export that runs when the gateway stops ends as incomplete, with a cursor", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Everything, scope)
    yield* Effect.gen(function* () {
      const { acme } = yield* Cast
      yield* append(acme.projectId, many)
      const { over, text } = yield* opened("customer", acme.tokens[0], "/v1/audit/export")
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* settle
      yield* Effect.promise(() => over())
      assert.strictEqual(over.how, "complete")
      const lines = linesOf(text())
      const end = lines.at(-1)
      assert.deepInclude(end, { end: true, complete: false, count: lines.length - 1 })
      assert.strictEqual(end.cursor, lines.at(-2).cursor)
      // The clock stands still: no connection is closed by force.
      yield* Fiber.join(stopping)
    }).pipe(Effect.provideContext(built))
  })
)
