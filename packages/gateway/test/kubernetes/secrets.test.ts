import { assert, layer } from "@effect/vitest"
import { foldUsage } from "@portico/domain/credentials/usage"
import { EventLog } from "@portico/store/EventLog"
import { AuditEvent } from "@portico/contract/Events"
import { Effect, Schema } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { streamed } from "./ClusterStream.ts"
import { cluster, Clustered, ClusterTap, failed, home } from "./ClusterTap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { until } from "@portico/testing/clock"

const live = { excludeTestServices: true }

const decode = Schema.decodeUnknownEffect(AuditEvent, { onExcessProperty: "error" })

const records = Effect.gen(function* () {
  const rows = yield* (yield* EventLog).page("api.audit", 0, 1_000_000)
  return yield* Effect.forEach(rows, (_) => Effect.orDie(decode(_.envelope)))
})

const recordsOf = (requestId: string | undefined) =>
  Effect.map(records, (all) => all.filter((_) => _.data.request_id === requestId))

const value = Buffer.from("hunter2hunter2").toString("base64")

/** A Secret of acme's, and the path of it. */
const aSecret = Effect.fnUntraced(function* (name: string) {
  const secrets = `${yield* home}/secrets`
  const made = yield* cluster("POST", secrets, { body: { metadata: { name }, data: { password: value } } })
  assert.strictEqual(made.status, 201, made.text)
  return { secrets, path: `${secrets}/${name}` }
})

layer(Clustered, live)("a read of Secrets", (it) => {
  const route = "/v1/kubernetes/api/v1/namespaces/:namespace/secrets"

  it.effect("is recorded, one or all, permitted or refused, without contents", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { path, secrets } = yield* aSecret("recorded")
      const namespace = `db-${acme.projectId}`
      for (const [token, at, status, expected, resources] of [
        [acme.tokens[1], path, 200, `${route}/:name`, [namespace, "recorded"]],
        [acme.tokens[1], `${secrets}?limit=1`, 200, route, [namespace]],
        [acme.tokens[1], `${secrets}/`, 200, undefined, undefined],
        [acme.tokens[1], `${secrets}/none`, 404, `${route}/:name`, [namespace, "none"]],
        [acme.tokens[0], path, 403, `${route}/:name`, [namespace, "recorded"]],
        [operator, "/api/v1/secrets", 200, "/v1/kubernetes/api/v1/secrets", []]
      ] as const) {
        const answer = yield* cluster("GET", at, { token })
        assert.strictEqual(answer.status, status, answer.text)
        const [event, ...more] = yield* recordsOf(answer.headers["x-request-id"])
        assert.deepStrictEqual(more, [])
        assert.deepInclude(event?.data, { method: "GET", status })
        if (expected !== undefined) assert.deepInclude(event?.data, { route: expected, resources })
      }
      const all = JSON.stringify(yield* records)
      assert.notInclude(all, value)
      assert.notInclude(all, "hunter2")
    })
  )

  it.effect("is recorded once, when it begins as a watch", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { secrets } = yield* aSecret("watched")
      const before = (yield* records).length
      const watch = yield* streamed(`${secrets}?watch=1`, acme.tokens[1])
      assert.strictEqual(watch.status, 200)
      yield* until(Effect.map(records, (_) => _.length > before))
      yield* watch.hangUp
      const [event, ...more] = (yield* records).slice(before)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(event?.data, { method: "GET", route, status: 200, parameters: ["watch"] })
    })
  )

  it.effect("is the only recorded read: others are not, nor do they count as use", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const own = yield* home
      const { call } = yield* TestGateway
      const before = (yield* records).length
      for (const at of [`${own}/configmaps`, `${own}/configmaps/secrets`, "/api/v1", `${own}/pods/secrets/log`]) {
        yield* cluster("GET", at, { token: acme.tokens[1] })
      }
      assert.lengthOf(yield* records, before)
      yield* foldUsage
      const { usage } = jsonOf(yield* call("customer", "GET", "/v1/credentials/usage", { token: acme.tokens[2] }))
      const row = usage.find((_: { credential_id: string }) => _.credential_id === acme.credentialIds[1])
      // It read Secrets above, and wrote nothing.
      assert.strictEqual(row.call_count, 0)
    })
  )

  it.effect("of the key manager's payloads is recorded as well", () =>
    Effect.gen(function* () {
      const { customerOwner } = yield* Cast
      const { call } = yield* TestGateway
      const base = "/v1/iaas/key-manager/v1/secrets"
      const payload = { payload: "hunter2", payload_content_type: "text/plain", name: "x" }
      const made = yield* call("customer", "POST", base, { token: customerOwner, body: payload })
      assert.strictEqual(made.status, 201, made.text)
      const id = String(jsonOf(made).secret_ref).split("/").at(-1)
      for (const [path, headers, recorded] of [
        [`${base}/${id}/payload`, { accept: "text/plain" }, 1],
        [`${base}/${id}`, { accept: "text/plain" }, 1],
        [`${base}/${id}`, {}, 0],
        [base, {}, 0]
      ] as const) {
        const answer = yield* call("customer", "GET", path, { token: customerOwner, headers })
        assert.strictEqual(answer.status, 200, `${path}: ${answer.text}`)
        assert.lengthOf(yield* recordsOf(answer.headers["x-request-id"]), recorded, path)
      }
    })
  )
})

layer(Clustered, live)("an agent's credential", (it) => {
  it.effect("gets no Secret from any call, and can create and replace one", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* ClusterTap
      const { path, secrets } = yield* aSecret("of-people")
      const detail = "A credential of kind mcp reads no Secret: it can create and replace one, with POST and PUT"
      const merge = { "content-type": "application/merge-patch+json" }
      const agent = yield* mint(acme.tokens[2], 1, "agent", { kind: "mcp" })
      yield* tap.forget
      for (const [method, at, headers] of [
        ["GET", path, {}],
        ["HEAD", path, {}],
        ["GET", secrets, {}],
        ["GET", `${secrets}?watch=1`, {}],
        ["GET", secrets, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }],
        ["PATCH", path, merge],
        ["PATCH", `${path}?dryRun=All`, merge],
        ["PATCH", `${path}?fieldManager=x`, { "content-type": "application/apply-patch+yaml" }]
      ] as const) {
        const body = method === "PATCH" ? {} : undefined
        const answer = yield* cluster(method, at, { token: agent.pat, headers, body })
        assert.strictEqual(answer.status, 403, `${method} ${at}: ${answer.text}`)
        if (method !== "HEAD") {
          assert.deepStrictEqual(jsonOf(answer), failed(403, "Forbidden", "cluster_secret_refused", detail))
        }
      }
      assert.deepStrictEqual(yield* tap.seen, [])

      const made = yield* cluster("POST", secrets, {
        token: agent.pat,
        body: { metadata: { name: "of-agent" }, stringData: { a: "b" } }
      })
      assert.strictEqual(made.status, 201, made.text)
      const body = { metadata: { name: "of-people" }, stringData: { a: "b" } }
      const replaced = yield* cluster("PUT", path, { token: agent.pat, body })
      assert.strictEqual(replaced.status, 200, replaced.text)
      // What it replaces is not told.
      assert.notInclude(replaced.text, value)
    })
  )

  it.effect("reads everything else; at tier 0 the refusal names the tier, as for any caller", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const own = yield* home
      const agent = yield* mint(acme.tokens[2], 0, "reader", { kind: "mcp" })
      assert.strictEqual((yield* cluster("GET", `${own}/configmaps`, { token: agent.pat })).status, 200)
      const refused = yield* cluster("GET", `${own}/secrets`, { token: agent.pat })
      assert.deepStrictEqual([refused.status, jsonOf(refused).details.causes[0].reason], [403, "tier_too_low"])
    })
  )

  it.effect("gets no payload of the key manager, in any spelling", () =>
    Effect.gen(function* () {
      const { acme, customerOwner } = yield* Cast
      const { call } = yield* TestGateway
      const base = "/v1/iaas/key-manager/v1/secrets"
      const payload = { payload: "hunter2", payload_content_type: "text/plain" }
      const made = yield* call("customer", "POST", base, { token: customerOwner, body: payload })
      const id = String(jsonOf(made).secret_ref).split("/").at(-1)
      const agent = yield* mint(acme.tokens[2], 1, "agent 2", { kind: "mcp" })
      for (const [path, accept, refused] of [
        [`${id}/payload`, "text/plain", true],
        [`${id}/payload/`, "text/plain", true],
        [`${id}/payload?x=1`, "*/*", true],
        [`${id}/payload.json`, "text/plain", true],
        [`${id}/PAYLOAD`, "text/plain", true],
        [`${id}/pay%6Coad`, "text/plain", true],
        [`./${id}/payload`, "text/plain", true],
        [`${id}//payload`, "text/plain", true],
        [id, "text/plain", true],
        [`${id}/`, "application/octet-stream", true],
        [id, "application/json, text/plain", true],
        [id, "application/json", false]
      ] as const) {
        const answer = yield* call("customer", "GET", `${base}/${path}`, { token: agent.pat, headers: { accept } })
        assert.notInclude(answer.text, "hunter2", path)
        assert.strictEqual(answer.status < 300, !refused, `${path}: ${answer.text}`)
      }
    })
  )
})
