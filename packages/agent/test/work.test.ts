import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { Duration, Effect, Fiber, Redacted } from "effect"
import { McpSchema } from "effect/ai"
import { TestClock } from "effect/testing"
import { Actions, type Ended } from "../src/Actions.ts"
import { Answering } from "../src/answers/Answering.ts"
import { toolsByOperation } from "../src/answers/toolsByOperation.ts"
import { Api, type ApiRequest, type ApiResponse } from "../src/Api.ts"
import type { Agent } from "../src/CurrentAgent.ts"
import { callTool } from "../src/tools/callTool.ts"
import { operationTools } from "../src/tools/operations.ts"
import { services } from "./plans/fakes.ts"

const tools = operationTools(() => true)
const toolOf = toolsByOperation(tools)
const tool = tools.find((_) => _.operation === "databases.create") ?? assert.fail()

const agent: Agent = {
  caller: new Caller({
    userId: "u",
    userName: "u",
    userEmail: "",
    roles: [],
    tier: 1,
    tenant: null,
    admin: false,
    human: false,
    credentialId: null,
    credentialLabel: null,
    role: null,
    billing: false
  }),
  token: Redacted.make("t"),
  source: undefined,
  requestId: "0".repeat(32)
}

const key = "once"
const created = { engine: "postgres", name: "orders", status: "creating" }

/** A database that is asked after: its answers one after the other, and the last one for ever. */
const calling = (answers: ReadonlyArray<Partial<ApiResponse>>, given: object, reports = true) => {
  const asked: Array<ApiRequest> = []
  const said: Array<readonly [number, string]> = []
  const ended: Array<Ended> = []
  let looks = 0
  const api = Api.of({
    call: (_, request) =>
      Effect.sync(() => {
        asked.push(request)
        const answer = request.method === "GET" ? answers[Math.min(looks++, answers.length - 1)] : undefined
        return { status: 201, headers: {}, body: JSON.stringify(created), cut: false, ...answer }
      })
  })
  const actions = Actions.of({
    recorded: (_agent, _action, call, endedAs) =>
      Effect.tap(call, (answer) => Effect.sync(() => ended.push(endedAs(answer))))
  })
  const report = (progress: number, message: string) => Effect.sync(() => void said.push([progress, message]))
  const call = callTool(agent, tool, { idempotency_key: key, ...given }).pipe(
    Effect.map((result) => (result instanceof McpSchema.CallToolResult ? result : assert.fail("it asks"))),
    Effect.provideService(Api, api),
    Effect.provideService(Actions, actions),
    Effect.provideService(Answering, { toolOf, report: reports ? report : undefined }),
    // No policy asks for a confirmation.
    Effect.provide(services({}, () => []).layer)
  )
  return { call, asked, said, ended }
}

const looked = (status: string, more: object = {}): Partial<ApiResponse> => ({
  status: 200,
  body: JSON.stringify({ ...created, status, ...more })
})

const ask = {
  tool: toolOf("databases.show"),
  arguments: { engine: "postgres", name: "orders" },
  field: "status",
  done: ["ready"],
  failed: ["failing"]
}

describe("work that a call starts", () => {
  it.effect("is answered at once with the operation to poll", () =>
    Effect.gen(function* () {
      const { asked, call } = calling([], {})
      const { structuredContent } = yield* call
      assert.deepStrictEqual(structuredContent, { ...created, idempotency_key: key, work: ask })
      assert.strictEqual(asked.length, 1)
    })
  )

  it.effect("is waited for with growing pauses, and its progress is reported", () =>
    Effect.gen(function* () {
      const story = calling([looked("creating"), { status: 503 }, looked("creating\u202E"), looked("ready")], {
        wait: true
      })
      const fiber = yield* Effect.forkChild(story.call)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(story.said, [[1, "status is 'creating' after 1 s"]])
      yield* TestClock.adjust("1499 millis")
      assert.strictEqual(story.said.length, 1)
      yield* TestClock.adjust("1 minute")
      const { isError, structuredContent } = yield* Fiber.join(fiber)
      assert.isFalse(isError)
      assert.deepStrictEqual(structuredContent, {
        ...created,
        idempotency_key: key,
        work: { ...ask, state: "done", last: { ...created, status: "ready" } }
      })
      assert.deepStrictEqual(story.said.slice(1), [
        [3, "status is 'creating' after 3 s"],
        [5, String.raw`status is 'creating\u{202e}' after 5 s`]
      ])
      assert.deepStrictEqual(
        new Set(story.asked.slice(1).map((_) => `${_.method} ${_.path}`)),
        new Set(["GET /v1/databases/postgres/orders"])
      )
      assert.notInclude(story.asked[0]?.body ?? "", "wait")
    })
  )

  it.effect("is an error of the tool when it fails, while the log has the call as succeeded", () =>
    Effect.gen(function* () {
      const story = calling([looked("failing", { reason: "no room" })], { wait: true })
      const fiber = yield* Effect.forkChild(story.call)
      yield* TestClock.adjust("1 second")
      const { isError, structuredContent } = yield* Fiber.join(fiber)
      assert.isTrue(isError)
      assert.propertyVal(structuredContent, "code", "work_failed")
      assert.deepStrictEqual(story.ended, [{ outcome: "succeeded", status: 201, code: null }])
    })
  )

  it.effect("is waited for 10 minutes at most, or 45 seconds without progress reports", () =>
    Effect.gen(function* () {
      for (const [reports, longest] of [
        [true, Duration.minutes(10)],
        [false, Duration.seconds(45)]
      ] as const) {
        const story = calling([looked("creating")], { wait: true }, reports)
        const fiber = yield* Effect.forkChild(story.call)
        yield* TestClock.adjust(Duration.subtract(longest, Duration.millis(1)))
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 milli")
        const { structuredContent } = yield* Fiber.join(fiber)
        assert.deepNestedPropertyVal(structuredContent, "work.state", "running")
      }
    })
  )

  it.effect("stops being polled when the client disconnects; the call is already in the log", () =>
    Effect.gen(function* () {
      const story = calling([looked("creating")], { wait: true })
      const fiber = yield* Effect.forkChild(story.call)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(story.ended, [{ outcome: "succeeded", status: 201, code: null }])
      const looks = story.asked.length
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(story.asked.length, looks)
    })
  )

  it.effect("stops being polled when the API refuses", () =>
    Effect.gen(function* () {
      const story = calling([looked("creating"), { status: 401, body: "{}" }], { wait: true })
      const fiber = yield* Effect.forkChild(story.call)
      yield* TestClock.adjust("1 minute")
      const { structuredContent } = yield* Fiber.join(fiber)
      assert.deepNestedPropertyVal(structuredContent, "work.state", "unknown")
    })
  )
})

describe("a call whose answer is lost", () => {
  it.effect("is unknown in the log", () =>
    Effect.gen(function* () {
      const ended: Array<Ended> = []
      const { isError } = yield* callTool(agent, tool, {}).pipe(
        Effect.map((result) => (result instanceof McpSchema.CallToolResult ? result : assert.fail("it asks"))),
        Effect.provideService(
          Api,
          Api.of({ call: () => Effect.succeed({ status: null, headers: {}, body: "", cut: false }) })
        ),
        Effect.provideService(
          Actions,
          Actions.of({
            recorded: (_agent, _action, call, endedAs) =>
              Effect.tap(call, (answer) => Effect.sync(() => ended.push(endedAs(answer))))
          })
        ),
        Effect.provide(services({}, () => []).layer)
      )
      assert.isTrue(isError)
      assert.deepStrictEqual(ended, [{ outcome: "unknown", status: null, code: "answer_lost" }])
    })
  )
})
