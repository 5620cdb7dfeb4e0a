import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { sampled } from "@portico/testing/sample/sampled"
import { Context, Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint } from "../harness/Cast.ts"
import { cluster, Clustered, home } from "../kubernetes/ClusterTap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { called, listed } from "./toolCalls.ts"

/** An agent's own credential, and people's and scripts' tokens that an agent presents. */
class Tokens extends Context.Service<Tokens, Readonly<Record<"agent" | "owner" | "script", string>>>()(
  "portico/gateway/test/Tokens"
) {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const { acme, customerOwner } = yield* Cast
      const { pat } = yield* mint(acme.tokens[2], 1, "agent", { kind: "mcp" })
      return { agent: pat, owner: customerOwner, script: acme.tokens[2] }
    })
  )
}

const Stage = Layer.provideMerge(Tokens.layer, Clustered)
const live = { excludeTestServices: true }
const connect = Effect.flatMap(Tokens, ({ agent }) => connected(agent))

layer(Stage, live)("a tool of a service behind a catch-all", (it) => {
  it.effect("reads and writes as the API does", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const name = "proxied-network"
      const made = yield* called(client, "network_write", {
        method: "POST",
        path: "networks",
        body: { network: { name } }
      })
      assert.isFalse(made.isError, JSON.stringify(made.body))
      const read = yield* called(client, "network_read", { path: "/networks", query: { name } })
      assert.lengthOf(JSON.parse(JSON.stringify(read.body["networks"])), 1)
      const inPath = yield* called(client, "network_read", { path: `networks?name=${name}` })
      assert.deepStrictEqual(inPath, read)
      const other = yield* called(client, "network_read", { path: "networks", query: { name: "no such" } })
      assert.deepStrictEqual(other.body["networks"], [])
    }).pipe(Effect.scoped)
  )

  it.effect("answers with addresses that clients can use", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { body } = yield* called(yield* connect, "compute_read", { path: "flavors" })
      const addresses = JSON.stringify(body).match(/"href":"[^"]*"/g) ?? []
      assert.isNotEmpty(addresses)
      for (const address of addresses) assert.isTrue(address.startsWith(`"href":"${url.customer}/v1/iaas/`), address)
    }).pipe(Effect.scoped)
  )

  const refusals: ReadonlyArray<readonly [why: string, path: unknown]> = [
    ["no path", undefined],
    ["an empty one", ""],
    ["a slash", "/"],
    ["no text", 7],
    ["dots", "../identity/v3/projects"],
    ["dots in the middle", "servers/../../identity/projects"],
    ["one dot", "servers/./detail"],
    ["encoded dots", "%2e%2e/identity"],
    ["half encoded dots", "servers/.%2E/x"],
    ["an address", "http://127.0.0.1/x"],
    ["an address without a scheme", "//127.0.0.1/x"],
    ["a fragment", "servers#x"],
    ["parameters", "servers;x=1"],
    ["a space", "servers x"],
    ["a line break", "servers\r\nx: y"],
    ["letters beyond ASCII", "servers/ä"],
    ["a backslash", "servers\\..\\x"]
  ]
  for (const [why, path] of refusals) {
    it.effect(`no call is made with ${why} for a path`, () =>
      Effect.gen(function* () {
        const client = yield* connect
        const cloud = yield* SimulatedCloud
        const before = (yield* cloud.calls).length
        for (const tool of ["compute_read", "kubernetes_read"]) {
          const { body, isError } = yield* called(client, tool, path === undefined ? {} : { path })
          assert.isTrue(isError, JSON.stringify(body))
          assert.strictEqual(body["code"], "validation_error")
        }
        const seen = (yield* cloud.calls).slice(before)
        assert.isEmpty(seen.filter((_) => _.service === "nova"))
      }).pipe(Effect.scoped)
    )
  }

  it.effect("DELETE and unknown arguments are refused", () =>
    Effect.gen(function* () {
      const client = yield* connect
      for (const given of [
        { method: "DELETE", path: "servers/x" },
        { method: "post", path: "servers" },
        { path: "servers" },
        { method: "POST", path: "servers", headers: {} },
        { method: "POST", path: "servers", query: "a=b" },
        { method: "POST", path: "servers", query: { a: { b: 1 } } }
      ]) {
        const { body, isError } = yield* called(client, "compute_write", given)
        assert.isTrue(isError, JSON.stringify(given))
        assert.strictEqual(body["code"], "validation_error")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a destructive body is refused with any token of an agent", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      for (const token of Object.values(tokens)) {
        const client = yield* connected(token)
        const path = "servers/0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77/action"
        for (const act of ["forceDelete", "rebuild", "createBackup", "unheardOf"]) {
          const { body } = yield* called(client, "compute_write", { method: "POST", path, body: { [act]: {} } })
          assert.strictEqual(body["code"], "tier_too_low", `${act}: ${JSON.stringify(body)}`)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a watch is refused at once, and content other than text is left out", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connect
      const pods = `api/v1/namespaces/db-${acme.projectId}/pods`
      for (const given of [
        { path: pods, query: { watch: true } },
        { path: `${pods}?watch=1` },
        { path: `api/v1/watch/namespaces/db-${acme.projectId}/pods` },
        { path: `${pods}/x/log`, query: { follow: "true" } }
      ]) {
        const { body, isError } = yield* called(client, "kubernetes_read", given)
        assert.isTrue(isError, JSON.stringify(given))
        assert.include(JSON.stringify(body), "no watches")
      }
      for (const path of [
        `${pods}/x/proxy/env`,
        `${pods}/x/proxy`,
        `${pods.replace("pods", "services")}/web:80/proxy/`
      ]) {
        const { body, isError } = yield* called(client, "kubernetes_read", { path })
        assert.isTrue(isError, path)
        assert.include(JSON.stringify(body), "calls no server behind the cluster's API")
      }
      const { token } = { token: acme.tokens[2] }
      const { call } = yield* TestGateway
      const image = { name: "disk", container_format: "bare", disk_format: "raw" }
      const { id } = jsonOf(yield* call("customer", "POST", "/v1/iaas/image/images", { token, body: image }))
      const content = Buffer.from([0, 255, 254, 1, 2, 3])
      yield* call("customer", "PUT", `/v1/iaas/image/images/${id}/file`, {
        token,
        body: content,
        headers: { "content-type": "application/octet-stream" }
      })
      const { body, isError } = yield* called(client, "image_read", { path: `images/${id}/file` })
      assert.isFalse(isError, JSON.stringify(body))
      assert.deepInclude(body, { content_type: "application/octet-stream", size_bytes: content.length })
    }).pipe(Effect.scoped)
  )

  it.effect("is listed for callers whose policy permits the service", () =>
    Effect.gen(function* () {
      const { acme, customerOwner } = yield* Cast
      const { call } = yield* TestGateway
      const { credential_id, pat } = yield* mint(acme.tokens[2], 1, "without compute")
      const done = (method: string, path: string, body?: unknown) =>
        call("customer", method, path, { token: customerOwner, body })
      yield* done("POST", "/v1/org/ous", { path: "no-network" })
      yield* done("PUT", `/v1/org/ous/no-network/members/${credential_id}`)
      const names = Effect.map(Effect.flatMap(connected(pat), listed), (_) => _.map((tool) => tool.name))
      assert.includeMembers(yield* names, ["network_read", "network_write"])
      yield* done("PUT", "/v1/access/policy", { ou: "no-network", denies: ["network:operate"] })
      assert.include(yield* names, "network_read")
      assert.notInclude(yield* names, "network_write")
      yield* done("PUT", "/v1/access/policy", { ou: "no-network", denies: ["network:read"] })
      assert.notInclude(yield* names, "network_read")
    }).pipe(Effect.scoped)
  )
})

/** Reads of what a tenant stored as a secret: `readsSecrets` of the proxy has these paths. */
const secretReads = (projectId: string, secret: string): ReadonlyArray<readonly [tool: string, path: string]> => {
  const namespace = `api/v1/namespaces/db-${projectId}/secrets`
  return [
    ["kubernetes_read", `${namespace}/hidden`],
    ["kubernetes_read", namespace],
    ["kubernetes_read", `${namespace}?limit=1`],
    ["kubernetes_read", `${namespace}/`],
    ["kubernetes_read", "api/v1/secrets"],
    ["key_manager_read", `v1/secrets/${secret}/payload`],
    ["key_manager_read", `v1/secrets/${secret}/payload/`],
    ["key_manager_read", `v1/secrets/${secret}/payload.txt`],
    ["key_manager_read", `v1/secrets/${secret}/Payload`]
  ]
}

layer(Stage, live)("a stored secret", (it) => {
  const value = "hunter2-of-the-tenant"
  for (const who of ["agent", "owner", "script"] as const) {
    for (const [index] of sampled(`secret reads of ${who}`, 6, [...secretReads("", "").entries()])) {
      it.effect(`is not read by an agent with the token of: ${who}, way ${index}`, () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const tokens = yield* Tokens
          const { call } = yield* TestGateway
          const data = { password: Buffer.from(value).toString("base64") }
          yield* cluster("POST", `${yield* home}/secrets`, { body: { metadata: { name: "hidden" }, data } })
          const stored = { name: "stored", payload: value, payload_content_type: "text/plain" }
          const made = yield* call("customer", "POST", "/v1/iaas/key-manager/v1/secrets", {
            token: acme.tokens[2],
            body: stored
          })
          const id = String(jsonOf(made).secret_ref).split("/").at(-1) ?? ""
          const [tool, path] = secretReads(acme.projectId, id)[index] ?? ["", ""]
          const client = yield* connected(tokens[who])
          const { body, isError } = yield* called(client, tool, { path })
          const text = JSON.stringify(body)
          assert.isTrue(isError, text)
          assert.notInclude(text, value)
          assert.notInclude(text, data.password)
        }).pipe(Effect.scoped)
      )
    }
  }

  it.effect("has metadata readable by an agent", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const client = yield* connect
      const stored = { name: "seen", payload: value, payload_content_type: "text/plain" }
      const made = yield* call("customer", "POST", "/v1/iaas/key-manager/v1/secrets", {
        token: acme.tokens[2],
        body: stored
      })
      const id = String(jsonOf(made).secret_ref).split("/").at(-1) ?? ""
      const { body, isError } = yield* called(client, "key_manager_read", { path: `v1/secrets/${id}` })
      assert.isFalse(isError, JSON.stringify(body))
      assert.strictEqual(body["name"], "seen")
      assert.notInclude(JSON.stringify(body), value)
    }).pipe(Effect.scoped)
  )
})
