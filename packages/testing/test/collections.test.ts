import { assert, describe, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { cleanCloud, leftovers } from "@portico/testing/cloud/cleanSlate"
import { collections, companyUrl } from "@portico/testing/cloud/collections"
import { simulatedWith } from "@portico/testing/cloud/Simulated"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

const Simulated = simulatedWith(
  {},
  { company: () => ({ cmdb: collections({ entries: { unique: "key" }, notes: {} }) }) }
)

/** One request to the inventory, answered with its status and body. */
const ask = Effect.fnUntraced(function* (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) {
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.make(method)(`${companyUrl("cmdb")}${path}`)
  const response = yield* client.execute(body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body))
  return [response.status, response.status === 204 ? null : yield* response.json] as const
})

const statusOf = (...call: Parameters<typeof ask>) => Effect.map(ask(...call), ([status]) => status)

const acme = { key: "acme", origin: "1" }
const globex = { key: "globex", origin: "2" }

describe("an upstream of the company", () => {
  it.effect("keeps resources, finds them by id and by their properties, changes and removes them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("POST", "/entries", acme), [201, { ...acme, id: "entries-1" }])
      assert.deepStrictEqual(yield* ask("POST", "/entries", globex), [201, { ...globex, id: "entries-2" }])
      assert.deepStrictEqual(yield* ask("GET", "/entries?origin=2&key=globex"), [
        200,
        { entries: [{ ...globex, id: "entries-2" }] }
      ])
      assert.deepStrictEqual(yield* ask("GET", "/entries?origin=1&key=globex"), [200, { entries: [] }])
      assert.deepStrictEqual(yield* ask("PATCH", "/entries/entries-2", { origin: "3", id: "other" }), [
        200,
        { key: "globex", origin: "3", id: "entries-2" }
      ])
      assert.deepStrictEqual(yield* ask("DELETE", "/entries/entries-1"), [204, null])
      assert.deepStrictEqual(yield* ask("GET", "/entries/entries-2"), [
        200,
        { key: "globex", origin: "3", id: "entries-2" }
      ])
      assert.deepStrictEqual((yield* (yield* SimulatedCloud).state)["cmdb.entries"], [
        { key: "globex", origin: "3", id: "entries-2" }
      ])
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("answers 409 to a taken value, 404 to a missing resource and 400 to a malformed one", () =>
    Effect.gen(function* () {
      yield* ask("POST", "/entries", acme)
      yield* ask("POST", "/entries", globex)
      assert.strictEqual(yield* statusOf("POST", "/entries", acme), 409)
      assert.strictEqual(yield* statusOf("PATCH", "/entries/entries-2", { key: "acme" }), 409)
      assert.strictEqual(yield* statusOf("PATCH", "/entries/entries-1", { key: "acme" }), 200)
      assert.strictEqual(yield* statusOf("POST", "/notes", { text: "twice" }), 201)
      assert.strictEqual(yield* statusOf("POST", "/notes", { text: "twice" }), 201)
      for (const method of ["GET", "PATCH", "DELETE"] as const) {
        assert.strictEqual(yield* statusOf(method, "/entries/entries-9", {}), 404, method)
      }
      assert.strictEqual(yield* statusOf("POST", "/entries", "acme"), 400)
      assert.strictEqual(yield* statusOf("PATCH", "/entries/entries-1", [1]), 400)
      assert.strictEqual(yield* statusOf("GET", "/nothing"), 404)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is logged and fails as every other service, before its effect and after it", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const create = { service: "company", method: "POST", path: "/cmdb/entries" } as const
      const before = yield* cloud.fault({ ...create, when: "before", as: { status: 503 } })
      assert.strictEqual(yield* statusOf("POST", "/entries", acme), 503)
      yield* cleanCloud("the call failed before its effect")
      yield* cloud.fault({ ...create, when: "after", as: { status: 503 } })
      assert.strictEqual(yield* statusOf("POST", "/entries", acme), 503)
      assert.deepStrictEqual(yield* leftovers, ["cmdb.entries"])
      yield* ask("DELETE", "/entries/entries-1")
      yield* cleanCloud("the entry is removed")
      assert.deepStrictEqual(
        (yield* cloud.calls).map((_) => [_.service, _.method, _.route, _.status]),
        [
          ["company", "POST", "/cmdb/entries", 503],
          ["company", "POST", "/cmdb/entries", 503],
          ["company", "DELETE", "/cmdb/entries/*", 204]
        ]
      )
      assert.deepInclude(
        (yield* cloud.faults).find((_) => _.id === before.id),
        { hits: 1 }
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is empty again when the cloud is reset", () =>
    Effect.gen(function* () {
      yield* ask("POST", "/entries", acme)
      yield* (yield* SimulatedCloud).reset
      yield* cleanCloud("reset")
      assert.strictEqual(yield* statusOf("POST", "/entries", acme), 201)
    }).pipe(Effect.provide(Simulated))
  )
})
