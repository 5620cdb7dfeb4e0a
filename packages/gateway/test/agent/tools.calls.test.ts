import { assert, layer } from "@effect/vitest"
import { sampled } from "@portico/testing/sample/sampled"
import { Context, Effect, Layer, Struct } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { foreignResources, zoneOf } from "../routes/foreignResources.ts"
import { called, exampleOf, listed, routeByTool, tools } from "./toolCalls.ts"

/** An agent of acme's, and the secret of its credential. */
class Agent extends Context.Service<Agent, { readonly token: string }>()("portico/gateway/test/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { pat } = yield* mint(acme.tokens[2], 1, "agent", { kind: "mcp" })
      return { token: pat }
    })
  )
}

const Everything = Agent.layer.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))
const connect = Effect.flatMap(Agent, ({ token }) => connected(token))

const withIds = tools.filter((_) => /\{\w+\}/.test(routeByTool.get(_.name) ?? ""))
const declared = (route: string) => route.replaceAll(/\{(\w+)\}/g, ":$1")
const isForeign = (name: string): name is keyof typeof foreignResources => Object.hasOwn(foreignResources, name)

/** The API's answer to what a tool call asks for. */
const atApi = Effect.fnUntraced(function* (route: string, given: Readonly<Record<string, unknown>>) {
  const { token } = yield* Agent
  const { call } = yield* TestGateway
  const [method = "", template = ""] = route.split(" ")
  const inPath = new Set([...template.matchAll(/\{(\w+)\}/g)].map((_) => _[1] ?? ""))
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const encoded = encodeURIComponent(String(given[name]))
    return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2e") : encoded
  })
  const fields = Object.entries(given)
    .filter(([name]) => !inPath.has(name))
    .map(([name, value]) => [name === "new_name" ? "name" : name, value])
  const body = method === "GET" || fields.length === 0 ? undefined : Object.fromEntries(fields)
  return jsonOf(yield* call("customer", method, path, { token, body }))
})

layer(Everything, { excludeTestServices: true })("a tool call with an id", (it) => {
  for (const tool of withIds) {
    const route = routeByTool.get(tool.name) ?? ""
    const name = declared(route)
    if (!isForeign(name)) continue
    it.effect(`${tool.name}: another tenant's id is refused as by the API, byte for byte`, () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const of = foreignResources[name]
        const found = of(globex)
        const id = String(typeof found === "string" ? found : yield* found)
        const around = name.includes("recordset_id") ? { zone_id: yield* zoneOf(acme) } : {}
        const given = { ...exampleOf(tool, id), ...around }
        const client = yield* connect
        const answer = yield* called(client, tool.name, given)
        const { code, detail } = yield* atApi(route, given)
        assert.isTrue(answer.isError, JSON.stringify(answer.body))
        assert.isNotEmpty(detail)
        assert.deepStrictEqual({ code: answer.body["code"], detail: answer.body["detail"] }, { code, detail })
        assert.notStrictEqual(code, "validation_error")
      }).pipe(Effect.scoped)
    )
  }

  const hostile = ["..", ".", "%2e%2e", "%2f", "a/b", "../../v1/whoami", "a?b#c", ";x", "\0", "ä", "null", " "]
  for (const tool of sampled("tools with ids", 6, withIds)) {
    const route = routeByTool.get(tool.name) ?? ""
    it.effect(`${tool.name}: hostile ids reach no other route, and are refused as by the API`, () =>
      Effect.gen(function* () {
        const client = yield* connect
        for (const id of hostile) {
          const given = exampleOf(tool, id)
          const { body, isError } = yield* called(client, tool.name, given)
          const { code, detail } = yield* atApi(route, given)
          if (tool.writes || code !== undefined) assert.isTrue(isError, `${id}: ${JSON.stringify(body)}`)
          assert.deepStrictEqual({ code: body["code"], detail: body["detail"] }, { code, detail }, id)
        }
        for (const id of ["", 7, null, ["a"], { a: 1 }]) {
          const inPath = [...route.matchAll(/\{(\w+)\}/g)].map((_) => [_[1] ?? "", id])
          const { body, isError } = yield* called(client, tool.name, {
            ...exampleOf(tool),
            ...Object.fromEntries(inPath)
          })
          assert.isTrue(isError)
          assert.strictEqual(body["code"], "validation_error")
        }
      }).pipe(Effect.scoped)
    )
  }
})

layer(Everything, { excludeTestServices: true })("the contract's examples", (it) => {
  for (const tool of tools.filter((_) => _.input["examples"] !== undefined)) {
    it.effect(`${tool.name} takes the recorded request`, () =>
      Effect.gen(function* () {
        const client = yield* connect
        const { body } = yield* called(client, tool.name, exampleOf(tool))
        // What it names may be absent here; its form is what the API takes.
        assert.notStrictEqual(body["code"], "validation_error", JSON.stringify(body))
      }).pipe(Effect.scoped)
    )
  }
})

layer(Everything, { excludeTestServices: true })("arguments and keys", (it) => {
  it.effect("an unknown argument is refused before any call, with the known ones", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const { body, isError } = yield* called(client, "credentials_list", { labels: "x" })
      assert.isTrue(isError)
      assert.strictEqual(body["code"], "validation_error")
      assert.include(JSON.stringify(body["detail"]), "include_revoked, label, limit, cursor")
    }).pipe(Effect.scoped)
  )

  it.effect("a creation names its key, and the same key repeats it", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const made = yield* called(client, "object_storage_create_bucket", { name: "once-only" })
      assert.isFalse(made.isError, JSON.stringify(made.body))
      const { idempotency_key: key } = made.body
      assert.match(String(key), /^[0-9a-f-]{36}$/)
      const again = yield* called(client, "object_storage_create_bucket", { name: "once-only", idempotency_key: key })
      assert.include(again.body["about"], {
        replayed: "The answer of the earlier call with this key; nothing was done now."
      })
      assert.deepStrictEqual({ ...again, body: Struct.omit(again.body, ["about"]) }, made)
      const other = yield* called(client, "object_storage_create_bucket", { name: "another", idempotency_key: key })
      assert.strictEqual(other.body["code"], "idempotency_key_reused")
      assert.strictEqual(other.body["idempotency_key"], key)
      // Without the key it is a new request with a key of its own.
      const anew = yield* called(client, "object_storage_create_bucket", { name: "once-only" })
      assert.notStrictEqual(anew.body["idempotency_key"], key)
    }).pipe(Effect.scoped)
  )

  it.effect("a boolean and a number reach the API with their types", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const { body } = yield* called(client, "credentials_list", { include_revoked: true, limit: 1 })
      assert.isArray(body["credentials"])
      assert.lengthOf(JSON.parse(JSON.stringify(body["credentials"])), 1)
      assert.isString(body["next_cursor"])
      const more = yield* called(client, "credentials_list", { cursor: body["next_cursor"], limit: 1 })
      assert.notDeepEqual(more.body["credentials"], body["credentials"])
    }).pipe(Effect.scoped)
  )

  it.effect("a destructive flag of a body is not offered, and refused at tier 1; the rest works", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[2], {}, "?areas=dns")
      const offered = yield* listed(client)
      for (const [name, flag, other] of [
        ["dns_import_zone", "prune", "dry_run"],
        ["object_storage_presign_upload", "overwrite", "expires_in"]
      ] as const) {
        const { inputSchema } = offered.find((_) => _.name === name) ?? assert.fail(`no ${name}`)
        assert.property(inputSchema.properties, other)
        assert.notProperty(inputSchema.properties, flag)
      }
      const zone_id = yield* zoneOf(acme)
      const given = { zone_id, zonefile: "www 60 A 192.0.2.1\n", dry_run: false }
      const imported = yield* called(client, "dns_import_zone", given)
      assert.isFalse(imported.isError, JSON.stringify(imported.body))
      const pruned = yield* called(client, "dns_import_zone", { zone_id, zonefile: "", dry_run: false, prune: true })
      assert.strictEqual(pruned.body["code"], "tier_too_low", JSON.stringify(pruned.body))
      const key = { name: "acme-alone", key: "a", content_length: 1, overwrite: true }
      const upload = yield* called(client, "object_storage_presign_upload", key)
      assert.strictEqual(upload.body["code"], "tier_too_low", JSON.stringify(upload.body))
    }).pipe(Effect.scoped)
  )
})
