import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, tenantToken } from "./ask.ts"

interface Service {
  readonly type: string
  readonly endpoints: ReadonlyArray<{ readonly interface: string; readonly url: string }>
}

it.effect("a token carries the catalog, unless its caller opts out", () =>
  Effect.gen(function* () {
    const { projectId, token } = yield* tenantToken("acme")
    const shown = (query: string) =>
      ask("GET", `/identity/v3/auth/tokens${query}`, { token, headers: { "x-subject-token": token } })
    const { catalog } = (yield* shown("")).json.token
    assert.deepStrictEqual(
      catalog.map((_: Service) => [_.type, _.endpoints.find((_) => _.interface === "public")?.url]),
      [
        ["identity", "http://cloud.simulated/identity"],
        ["compute", "http://cloud.simulated/compute/v2.1"],
        ["network", "http://cloud.simulated/network"],
        ["volumev3", `http://cloud.simulated/volume/v3/${projectId}`],
        ["image", "http://cloud.simulated/image"],
        ["load-balancer", "http://cloud.simulated/load-balancer"],
        ["dns", "http://cloud.simulated/dns"],
        ["key-manager", "http://cloud.simulated/key-manager"]
      ]
    )
    assert.notProperty((yield* shown("?nocatalog")).json.token, "catalog")
    const alone = yield* ask("GET", "/identity/v3/auth/catalog", { token })
    assert.deepStrictEqual(alone.json, { catalog, links: { self: "http://cloud.simulated/identity/v3/auth/catalog" } })
    assert.strictEqual((yield* ask("GET", "/identity/v3/auth/catalog")).status, 401)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the image service has a schema of each resource", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const names = [
      ["member", "member"],
      ["members", "members"],
      ["image", "image"],
      ["images", "images"],
      ["task", "task"],
      ["tasks", "tasks"],
      ["metadefs/namespace", "namespace"],
      ["metadefs/namespaces", "namespaces"],
      ["metadefs/object", "object"],
      ["metadefs/objects", "objects"],
      ["metadefs/property", "property"],
      ["metadefs/properties", "properties"],
      ["metadefs/resource_type", "resource_type_association"],
      ["metadefs/resource_types", "resource_type_associations"],
      ["metadefs/tag", "tag"],
      ["metadefs/tags", "tags"]
    ] as const
    for (const [path, name] of names) {
      const answer = yield* ask("GET", `/image/v2/schemas/${path}`, { token })
      assert.deepStrictEqual([answer.status, answer.json.name], [200, name])
    }
    const { json } = yield* ask("GET", "/image/v2/schemas/members", { token })
    assert.hasAllKeys(json.properties, ["members", "schema"])
    assert.deepStrictEqual(json.links, [{ rel: "describedby", href: "{schema}" }])
    const properties = (yield* ask("GET", "/image/v2/schemas/metadefs/properties", { token })).json
    assert.hasAllKeys(properties.definitions, ["positiveInteger", "positiveIntegerDefault0", "stringArray"])
    assert.deepStrictEqual(properties.properties.properties.additionalProperties.required, ["type", "title"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an image's owner deactivates and reactivates it; others cannot", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const made = yield* ask("POST", "/image/v2/images", {
      token,
      json: { name: "i", disk_format: "raw", container_format: "bare" }
    })
    const url = `/image/v2/images/${made.json.id}`
    const act = (action: string, at = url) =>
      Effect.map(ask("POST", `${at}/actions/${action}`, { token }), (_) => _.status)
    const status = Effect.map(ask("GET", url, { token }), (_) => _.json.status)
    assert.strictEqual(yield* act("deactivate"), 403)
    yield* ask("PUT", `${url}/file`, { token, body: "x", headers: { "content-type": "application/octet-stream" } })
    assert.deepStrictEqual([yield* act("deactivate"), yield* status], [204, "deactivated"])
    assert.strictEqual((yield* ask("GET", `${url}/file`, { token })).status, 403)
    assert.deepStrictEqual([yield* act("reactivate"), yield* status], [204, "active"])
    assert.strictEqual(yield* act("deactivate", `/image/v2/images/${publicImageId}`), 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the DNS service answers the limits of the caller's project", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const limits = yield* ask("GET", "/dns/v2/limits", { token })
    assert.deepStrictEqual(limits.json, {
      max_zones: 10,
      max_zone_recordsets: 500,
      max_zone_records: 500,
      max_recordset_records: 20,
      min_ttl: 0,
      max_zone_name_length: 255,
      max_recordset_name_length: 255,
      max_page_limit: 1000
    })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
