import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask } from "./ask.ts"
import { admin, tenant } from "./glance.ts"

it.effect("bytes are staged and then imported, or fetched from the client's URL", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const id = yield* acme.image()
    const url = `/images/${id}`
    const start = (name: string, more: object = {}, _ = acme) => _.post(`${url}/import`, { method: { name, ...more } })
    const stage = (type: string) =>
      ask("PUT", `/image/v2${url}/stage`, { token: acme.token, body: "bytes", headers: { "content-type": type } })
    assert.strictEqual((yield* start("glance-direct")).status, 409)
    assert.strictEqual((yield* stage("application/json")).status, 415)
    assert.strictEqual((yield* stage("application/octet-stream")).status, 204)
    assert.strictEqual((yield* acme.get(url)).json.status, "uploading")
    const refused: ReadonlyArray<readonly [string, object, number]> = [
      ["web-download", { uri: "http://x" }, 409],
      ["copy-image", {}, 403],
      ["carrier-pigeon", {}, 400]
    ]
    for (const [name, more, status] of refused) {
      assert.strictEqual((yield* start(name, more)).status, status, name)
    }
    assert.strictEqual((yield* acme.post(`${url}/import`, {})).status, 400)
    assert.strictEqual((yield* start("glance-direct", {}, globex)).status, 404)
    assert.strictEqual((yield* start("glance-direct")).status, 202)
    assert.deepInclude((yield* acme.get(url)).json, { status: "active", size: 5 })
    assert.strictEqual((yield* start("glance-direct")).status, 409)
    assert.strictEqual((yield* start("copy-image", {}, { ...acme, ...(yield* admin) })).status, 202)
    const other = yield* acme.image()
    const fetched = (method: object) => acme.post(`/images/${other}/import`, { method })
    assert.strictEqual((yield* fetched({ name: "web-download" })).status, 400)
    assert.strictEqual((yield* fetched({ name: "web-download", uri: "http://x/y.img" })).status, 202)
    assert.strictEqual((yield* acme.get(`/images/${other}`)).json.status, "active")
    const methods = (yield* acme.get("/info/import")).json["import-methods"].value
    assert.includeMembers(methods, ["glance-direct", "web-download"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("tasks are for administrators, and every import leaves one", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const control = yield* admin
    const task = { type: "import", input: { import_from: "http://x" } }
    for (const { status } of [yield* acme.get("/tasks"), yield* acme.post("/tasks", task)]) {
      assert.strictEqual(status, 403)
    }
    const id = yield* acme.image()
    const begun = yield* acme.post(`/images/${id}/import`, { method: { name: "web-download", uri: "http://x" } })
    const [one] = (yield* control.get("/tasks")).json.tasks
    assert.deepInclude(one, { type: "api_image_import", owner: acme.projectId })
    assert.strictEqual((yield* acme.get(`/tasks/${one.id}`)).status, 403)
    assert.deepInclude((yield* control.get(`/tasks/${one.id}`)).json.input, { image_id: id })
    const { tasks } = (yield* acme.get(`/images/${id}/tasks`)).json
    assert.lengthOf(tasks, 1)
    const maker = { image_id: id, request_id: begun.headers["x-openstack-request-id"], user_id: acme.userId }
    assert.deepInclude(tasks[0], { ...maker, id: one.id, deleted: false, result: { image_id: id } })
    assert.match(tasks[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000$/)
    assert.deepInclude((yield* control.get(`/tasks/${one.id}`)).json, maker)
    assert.strictEqual((yield* control.post("/tasks", task)).status, 201)
    assert.strictEqual((yield* control.post("/tasks", { type: "dance" })).status, 400)
    assert.strictEqual((yield* control.get("/tasks/none")).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
