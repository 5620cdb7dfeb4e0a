import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as Persistence from "@portico/simulator/Persistence"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber, FileSystem, Layer } from "effect"
import { TestClock } from "effect/testing"
import { controlToken } from "./ask.ts"
import { headersOf } from "./kube.ts"
import { clusterOf, namespace, pathOf } from "./operators.ts"
import { makeUser, s3 } from "./s3.ts"

const InMemory = Server.layer({ port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory))

/** A real request. */
const http = Effect.fnUntraced(function* (method: string, path: string, json?: unknown, headers = {}) {
  const { url } = yield* Server
  const body = json === undefined ? {} : { body: typeof json === "string" ? json : JSON.stringify(json) }
  const answer = yield* Effect.promise((signal) => fetch(url + path, { method, signal, headers, ...body }))
  const text = yield* Effect.promise(() => answer.text())
  return { status: answer.status, json: text === "" ? undefined : JSON.parse(text) }
})

const kube = (method: string, path: string, json?: unknown) =>
  http(method, `/kubernetes${path}`, json, headersOf({ type: "application/json" }))

const advance = (seconds: number) => http("POST", "/cloud/clock", { advance_seconds: seconds })

const phase = Effect.map(kube("GET", pathOf("clusters", "orders")), ({ json }) => json.status?.phase)

it.effect("operators do due work when the clock is moved, and a watch shows it", () =>
  Effect.gen(function* () {
    const { url } = yield* Server
    yield* kube("POST", "/api/v1/namespaces", { metadata: { name: namespace } })
    yield* kube("POST", pathOf("clusters"), clusterOf("orders"))
    const watch = yield* Effect.forkChild(
      Effect.promise((signal) =>
        fetch(`${url}/kubernetes${pathOf("clusters")}?watch=true&timeoutSeconds=100`, {
          signal,
          headers: headersOf({})
        }).then((_) => _.text())
      )
    )
    while ((yield* (yield* SimulatedCloud).calls).every((_) => !_.query.includes("watch")))
      yield* http("GET", "/cloud/clock")
    assert.deepStrictEqual((yield* advance(5)).json, { now: "1970-01-01T00:00:05.000Z", ahead_seconds: 5 })
    assert.strictEqual(yield* phase, "Setting up primary")
    assert.deepStrictEqual((yield* advance(95)).json, { now: "1970-01-01T00:01:40.000Z", ahead_seconds: 100 })
    assert.strictEqual(yield* phase, "Cluster in healthy state")
    const shown = yield* Fiber.join(watch)
    assert.include(shown, '"phase":"Setting up primary"')
    assert.include(shown, '"phase":"Cluster in healthy state"')
  }).pipe(Effect.provide(InMemory))
)

it.effect("tokens expire when the clock is moved on, and a delayed answer is sent", () =>
  Effect.gen(function* () {
    const token = { "x-auth-token": yield* controlToken }
    const projects = http("GET", "/identity/v3/projects", undefined, token)
    yield* http("POST", "/cloud/faults", {
      service: "keystone",
      method: "GET",
      path: "/v3/projects",
      when: "before",
      as: { delay_ms: 60_000 }
    })
    const late = yield* Effect.forkChild(projects)
    while ((yield* (yield* SimulatedCloud).calls).every((_) => _.method !== "GET")) yield* http("GET", "/cloud/clock")
    yield* advance(59)
    assert.strictEqual((yield* projects).status, 200)
    assert.isUndefined(late.pollUnsafe())
    yield* advance(1)
    assert.strictEqual((yield* Fiber.join(late)).status, 200)
    yield* advance(24 * 3600)
    assert.strictEqual((yield* projects).status, 401)
  }).pipe(Effect.provide(InMemory))
)

it.effect("the cloud keeps its lead on a running clock, after a reset and an older snapshot", () =>
  Effect.gen(function* () {
    const shown = Effect.map(http("GET", "/cloud/clock"), ({ json }) => [json.now, json.ahead_seconds])
    const snapshot = (yield* http("GET", "/cloud/snapshot")).json
    yield* advance(600)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* shown, ["1970-01-01T00:11:00.000Z", 600])
    yield* http("GET", "/identity/v3")
    assert.strictEqual((yield* http("GET", "/cloud/calls")).json[0].at, 660_000)
    yield* http("DELETE", "/cloud/state")
    assert.deepStrictEqual(yield* shown, ["1970-01-01T00:11:00.000Z", 600])
    assert.strictEqual((yield* http("PUT", "/cloud/snapshot", snapshot)).status, 204)
    assert.deepStrictEqual(yield* shown, ["1970-01-01T00:11:00.000Z", 600])
    yield* http("PUT", "/cloud/snapshot", { ...snapshot, clock: { aheadMillis: 900_000 } })
    assert.deepStrictEqual(yield* shown, ["1970-01-01T00:16:00.000Z", 900])
  }).pipe(Effect.provide(InMemory))
)

it.effect("an S3 signature is checked against the client's clock", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* advance(24 * 3600)
    assert.strictEqual((yield* s3("acme", "PUT /bucket")).status, 200)
  }).pipe(Effect.provide(InMemory))
)

it.effect("a saved cloud keeps its clock", () =>
  Effect.gen(function* () {
    const file = `${yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()}/cloud.json`
    const saved = Server.layer({ port: 0 }).pipe(Layer.provide(Persistence.layer(file)))
    yield* Effect.provide(advance(600), saved)
    const { json } = yield* Effect.provide(http("GET", "/cloud/clock"), saved)
    assert.deepStrictEqual(json, { now: "1970-01-01T00:10:00.000Z", ahead_seconds: 600 })
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
)

it.effect.each([
  { what: "nothing", wrong: {}, message: /^Missing key\n {2}at \["advance_seconds"\]$/ },
  { what: "zero", wrong: { advance_seconds: 0 }, message: /between 1 and 31622400/ },
  { what: "a step back", wrong: { advance_seconds: -60 }, message: /between 1 and 31622400/ },
  { what: "half a second", wrong: { advance_seconds: 0.5 }, message: /integer/ },
  { what: "a text", wrong: { advance_seconds: "600" }, message: /^Expected number/ },
  { what: "more than a year", wrong: { advance_seconds: 31_622_401 }, message: /between 1 and 31622400/ },
  { what: "an unknown key", wrong: { advance_seconds: 1, seconds: 1 }, message: /^Expected no excess property/ },
  { what: "no JSON", wrong: "{", message: /^Expected a valid JSON string$/ }
])("a wrong move of the clock ($what) is refused with the expected value", ({ message, wrong }) =>
  Effect.gen(function* () {
    const { json, status } = yield* http("POST", "/cloud/clock", wrong)
    assert.strictEqual(status, 400)
    assert.match(json.message, message)
    assert.strictEqual(json.expected, '{"advance_seconds": 600}, whole seconds from 1 to 31622400')
    assert.strictEqual((yield* http("GET", "/cloud/clock")).json.ahead_seconds, 0)
  }).pipe(Effect.provide(InMemory))
)

it.effect("the clock moves a century ahead at most, by moves and by a snapshot", () =>
  Effect.gen(function* () {
    const year = 366 * 24 * 3600
    const { json: snapshot } = yield* http("GET", "/cloud/snapshot")
    const at = (aheadMillis: number) => http("PUT", "/cloud/snapshot", { ...snapshot, clock: { aheadMillis } })
    for (const wrong of [-1, 100 * year * 1000 + 1, 1e20]) {
      const { json, status } = yield* at(wrong)
      const message = "This is not a snapshot: clock.aheadMillis is not from 0 to 3162240000000."
      assert.deepStrictEqual([status, json.message], [400, message])
    }
    assert.strictEqual((yield* http("GET", "/cloud/clock")).json.ahead_seconds, 0)

    assert.strictEqual((yield* at(99 * year * 1000)).status, 204)
    assert.strictEqual((yield* advance(year)).json.ahead_seconds, 100 * year)
    const { json, status } = yield* advance(1)
    const message = "The cloud's clock may be at most 3162240000 seconds ahead of the machine's."
    assert.deepStrictEqual([status, json.message], [400, message])
    assert.strictEqual((yield* http("GET", "/cloud/clock")).json.ahead_seconds, 100 * year)
  }).pipe(Effect.provide(InMemory))
)
