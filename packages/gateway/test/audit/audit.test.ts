import { assert, layer } from "@effect/vitest"
import { type AuditData, AuditEvent } from "@portico/contract/Events"
import { foldUsage } from "@portico/domain/credentials/usage"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { EventLog } from "@portico/store/EventLog"
import { Effect, Fiber, Layer, Schema } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { dialled } from "../kubernetes/ClusterStream.ts"
import { cluster, Clustered, home, runningPod } from "../kubernetes/ClusterTap.ts"
import type { Asked } from "../harness/http.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { inTime, until } from "@portico/testing/clock"

const live = { excludeTestServices: true }

/** A closed schema: an envelope with anything else in it is no event. */
const decode = Schema.decodeUnknownEffect(AuditEvent, { onExcessProperty: "error" })

/** Every record there is, the oldest first. */
const records = Effect.gen(function* () {
  const rows = yield* (yield* EventLog).page("api.audit", 0, 1_000_000)
  return yield* Effect.forEach(rows, (_) => Effect.orDie(decode(_.envelope)))
})

/** The records of calls with this request id, once there is one. */
const recordsOf = Effect.fnUntraced(function* (requestId: string | undefined) {
  const own = Effect.map(records, (all) => all.filter((_) => _.data.request_id === requestId))
  yield* until(Effect.map(own, (_) => _.length > 0))
  return yield* own
})

/** A call, and the one record of it, without what every record has. */
const recorded = Effect.fnUntraced(function* (plane: Plane, method: string, path: string, asked?: Asked) {
  const answer = yield* (yield* TestGateway).call(plane, method, path, asked)
  const [event, ...more] = yield* recordsOf(answer.headers["x-request-id"])
  assert.isDefined(event)
  assert.deepStrictEqual(more, [])
  const { data, key, project_id } = event
  assert.deepInclude(data, { method, status: answer.status, source: "127.0.0.1" })
  return { answer, data, key, project_id }
})

/** What a record says of the request. */
const request = ({ fields, parameters, resources, route }: AuditData) => ({ route, resources, parameters, fields })

const secret = "hunter2hunter2"

/** Whose a record is. */
interface By {
  readonly key: string
  readonly tier: number | null
}

layer(Clustered, live)("the record of a call", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: a write has the caller, the route and its fields' names, never their values`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const body = { kind: "api-key", tier: 0, label: secret }
        const made = yield* recorded(plane, "POST", "/v1/credentials", { token: acme.tokens[2], body })
        assert.strictEqual(made.answer.status, 201)
        assert.strictEqual(made.key, acme.credentialIds[2])
        assert.strictEqual(made.project_id, acme.projectId)
        assert.deepInclude(made.data, { credential_id: acme.credentialIds[2], user_id: acme.credentialIds[2], tier: 2 })
        assert.deepStrictEqual(request(made.data), {
          route: "/v1/credentials",
          resources: [],
          parameters: [],
          fields: ["kind", "tier", "label"]
        })
        const { credential_id: id, ...secrets } = jsonOf(made.answer)
        const gone = yield* recorded(plane, "DELETE", `/v1/credentials/${id}`, { token: acme.tokens[2] })
        assert.deepStrictEqual(request(gone.data), {
          route: "/v1/credentials/:credential_id",
          resources: [id],
          parameters: [],
          fields: []
        })
        const written = JSON.stringify(yield* records)
        for (const value of [secret, secrets.client_secret, secrets.pat, ...acme.tokens])
          assert.notInclude(written, value)
      })
    )

    it.effect(`${plane}: a refused call has one too`, () =>
      Effect.gen(function* () {
        const { acme, revoked } = yield* Cast
        const { tokens } = acme
        const body = { kind: "api-key", tier: 2, label: "x" }
        const known: By = { key: acme.credentialIds[0], tier: 0 }
        const unknown: By = { key: "unknown", tier: null }
        const mints = { route: "/v1/credentials", resources: [], parameters: [] }
        const calls: ReadonlyArray<
          readonly [status: number, method: string, path: string, asked: Asked, by: By, request: object]
        > = [
          [401, "POST", "/v1/credentials", { body }, unknown, { ...mints, fields: null }],
          [401, "POST", "/v1/credentials", { token: revoked, body }, unknown, { ...mints, fields: null }],
          [403, "POST", "/v1/credentials", { token: tokens[0], body }, known, { ...mints, fields: Object.keys(body) }],
          [
            403,
            "DELETE",
            "/v1/credentials/some-id",
            { token: tokens[0] },
            known,
            { route: "/v1/credentials/:credential_id", resources: ["some-id"], parameters: [], fields: null }
          ],
          [415, "POST", "/v1/credentials", { token: tokens[0], body: "x" }, known, { ...mints, fields: [] }],
          [
            422,
            "POST",
            `/v1/credentials?pass=${secret}`,
            { token: tokens[0], body: { other: 1, "not a name": 2, label: "x" } },
            known,
            { ...mints, parameters: ["pass"], fields: ["other", "label"] }
          ],
          [
            404,
            "POST",
            `/v1/${secret}?a=${secret}&b`,
            { token: tokens[0] },
            unknown,
            { route: null, resources: [], parameters: ["a", "b"], fields: null }
          ],
          [405, "PUT", "/v1/credentials", { token: tokens[0] }, unknown, { ...mints, fields: null }],
          [400, "POST", "/v1/credentials;x", {}, unknown, { route: null, resources: [], parameters: [], fields: null }]
        ]
        for (const [status, method, path, asked, { key, tier }, said] of calls) {
          const { headers, ...rest } = asked
          const typed = status === 415 ? { ...rest, headers: { ...headers, "content-type": "text/plain" } } : asked
          const record = yield* recorded(plane, method, path, typed)
          assert.strictEqual(record.answer.status, status, `${method} ${path}`)
          assert.deepStrictEqual([record.key, record.data.tier], [key, tier], `${method} ${path}`)
          assert.deepStrictEqual<unknown>(request(record.data), said, `${method} ${path}`)
        }
      })
    )
  }

  it.effect("a proxied call has one, with the client's status, and ids apart from the route", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const token = acme.tokens[2]
      const group = yield* recorded("customer", "POST", `/v1/iaas/network/security-groups?x=${secret}`, {
        token,
        body: { security_group: { name: secret } }
      })
      assert.strictEqual(group.answer.status, 201)
      assert.strictEqual(group.key, acme.credentialIds[2])
      assert.deepStrictEqual(request(group.data), {
        route: "/v1/iaas/network/security-groups",
        resources: [],
        parameters: ["x"],
        fields: null
      })
      const { id } = jsonOf(group.answer).security_group
      const gone = yield* recorded("operator", "DELETE", `/v1/iaas/network/security-groups/${id}`, { token })
      assert.deepStrictEqual([gone.data.route, gone.data.resources], ["/v1/iaas/network/security-groups/:id", [id]])

      const rule = { direction: "ingress", ethertype: "IPv4", port_range_min: 22, port_range_max: 22, protocol: "tcp" }
      const refused = yield* recorded("customer", "POST", "/v1/iaas/network/security-group-rules", {
        token,
        body: { security_group_rule: { ...rule, security_group_id: id } }
      })
      assert.strictEqual(refused.answer.status, 403)
      assert.deepStrictEqual(refused.data.fields, ["security_group_rule"])
      for (const [status, asked] of [
        [401, {}],
        [403, { token: acme.tokens[0] }]
      ] as const) {
        const call = yield* recorded("customer", "DELETE", `/v1/iaas/compute/servers/${id}`, asked)
        assert.strictEqual(call.answer.status, status)
        assert.strictEqual(call.key, status === 401 ? "unknown" : acme.credentialIds[0])
      }
      const nowhere = yield* recorded("customer", "POST", `/v1/iaas/nothing/${secret}`, { token, body: {} })
      assert.deepStrictEqual([nowhere.answer.status, nowhere.data.route], [404, "/v1/iaas/:id/:id"])
    })
  )

  it.effect("a call to an unresponsive service has one", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { acme } = yield* Cast
      yield* cloud.fault({ service: "nova", method: "POST", path: "**", when: "before", times: "always", as: "reset" })
      const { answer } = yield* recorded("customer", "POST", "/v1/iaas/compute/os-keypairs", {
        token: acme.tokens[2],
        body: { keypair: { name: "x" } }
      })
      yield* cloud.clearFaults
      assert.strictEqual(answer.status, 502)
    })
  )

  it.effect("a call to the cluster has one, and an upgraded connection one when it begins", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const namespace = `db-${acme.projectId}`
      const made = yield* cluster("POST", `${yield* home}/configmaps`, { body: { metadata: { name: "audited" } } })
      assert.strictEqual(made.status, 201, made.text)
      const [event] = yield* recordsOf(made.headers["x-request-id"])
      assert.deepInclude(event?.data, {
        route: "/v1/kubernetes/api/v1/namespaces/:namespace/configmaps",
        resources: [namespace]
      })

      const pod = yield* runningPod("audited")
      const raw = yield* dialled(`${pod}/exec?command=cat&stdin=1`, {
        headers: { "Sec-WebSocket-Protocol": "v5.channel.k8s.io" }
      })
      assert.strictEqual(raw.status, 101)
      const [exec] = yield* recordsOf(raw.headers["x-request-id"])
      assert.deepInclude(exec?.data, {
        method: "GET",
        status: 101,
        route: "/v1/kubernetes/api/v1/namespaces/:namespace/pods/:name/exec",
        resources: [namespace, "audited"],
        parameters: ["command", "stdin"]
      })
      raw.socket.destroy()
      yield* until(Effect.sync(() => raw.over() !== undefined))
      assert.lengthOf(yield* recordsOf(raw.headers["x-request-id"]), 1)

      const [token] = acme.tokens
      const refused = yield* dialled(`${pod}/exec?command=id`, { token })
      const [refusal] = yield* recordsOf(refused.headers["x-request-id"])
      assert.deepInclude(refusal?.data, { status: 403, credential_id: acme.credentialIds[0] })
    })
  )

  it.effect("a read has none, on any route", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const reads = [
        "/v1/whoami",
        "/v1/credentials",
        "/v1/iaas/compute/servers",
        "/v1/kubernetes/version",
        "/v1/nowhere"
      ]
      const before = (yield* records).length
      const ids = new Set<string | undefined>()
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        for (const path of reads) ids.add((yield* call("customer", method, path, { token })).headers["x-request-id"])
      }
      // Records are published in order, so that after a later one there would be those before it.
      yield* recorded("customer", "DELETE", "/v1/credentials/some-id", { token })
      const after = yield* records
      assert.strictEqual(after.length, before + 1)
      assert.isTrue(after.every((_) => !ids.has(_.data.request_id)))
    })
  )

  it.effect("an administrator's is keyed by the user, without a credential", () =>
    Effect.gen(function* () {
      const { data, key, project_id } = yield* recorded("operator", "POST", "/v1/tenants", {
        token: operator,
        body: {}
      })
      assert.strictEqual(data.status, 422)
      assert.strictEqual(key, data.user_id)
      assert.deepStrictEqual([project_id, data.credential_id, data.tier], [null, null, 2])
    })
  )
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)))("a record", (it) => {
  it.effect("of a disconnected client has no status, or the billed one", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const slow = { when: "before", as: { delay_ms: 300 } } as const
      const rows = [
        ["/v1/credentials", { kind: "api-key", tier: 0, label: "x" }, "zitadel", null],
        ["/v1/iaas/dns/zones", { name: "a.example.", email: "a@a.example" }, "designate", null],
        ["/v1/iaas/volume/volumes", { volume: { size: 1 } }, "cinder", 202]
      ] as const
      for (const [index, [path, body, service, status]] of rows.entries()) {
        const id = `${index}`.padStart(32, "a")
        // The caller is known, so that what is slow is the call itself.
        yield* inTime(call("customer", "GET", "/v1/whoami", { token: acme.tokens[2] }))
        yield* cloud.clearCalls
        yield* cloud.fault({ service, method: "POST", path: "**", ...slow })
        const headers = { traceparent: `00-${id}-00f067aa0ba902b7-01` }
        const calling = yield* Effect.forkChild(
          call("customer", "POST", path, { token: acme.tokens[2], body, headers })
        )
        yield* until(Effect.map(cloud.calls, (_) => _.some((_) => _.service === service && _.method === "POST")))
        yield* Fiber.interrupt(calling)
        const [event, ...more] = yield* inTime(recordsOf(id))
        assert.deepStrictEqual([event?.data.status, event?.key], [status, acme.credentialIds[2]], path)
        assert.deepStrictEqual(more, [])
        yield* cloud.clearFaults
      }
    })
  )
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), live)("the usage of a credential", (it) => {
  it.effect("counts successful writes: no refused calls, reads or mints", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const { credential_id: id, pat: token } = yield* mint(acme.tokens[2], 2, "used")
      const network = `/v1/iaas/network/networks/${acme.networkId}`
      const usage = Effect.fnUntraced(function* () {
        yield* foldUsage
        const answer = jsonOf(yield* call("customer", "GET", "/v1/credentials/usage", { token: acme.tokens[0] }))
        return answer.usage.find((_: { credential_id: string }) => _.credential_id === id)
      })
      assert.deepStrictEqual(yield* usage(), {
        credential_id: id,
        label: "used",
        project_id: acme.projectId,
        call_count: 0,
        last_used_at: null
      })

      const body = { network: { description: "x" } }
      yield* recorded("customer", "PUT", network, { token, body })
      yield* call("customer", "GET", network, { token })
      yield* recorded("customer", "PUT", `${network}x`, { token, body })
      const minted = yield* recorded("customer", "POST", "/v1/credentials", {
        token,
        body: { kind: "mcp", tier: 0, label: "by the used one" }
      })
      const child = jsonOf(minted.answer).credential_id
      yield* recorded("customer", "POST", `/v1/credentials/${child}/rotate`, { token, body: {} })
      const last = yield* recorded("customer", "DELETE", `/v1/credentials/${child}`, { token })

      const { call_count, last_used_at } = yield* usage()
      assert.strictEqual(call_count, 2)
      const [event] = yield* recordsOf(last.answer.headers["x-request-id"])
      assert.strictEqual(last_used_at, event?.at)

      const { count, usage: theirs } = jsonOf(
        yield* call("customer", "GET", "/v1/credentials/usage", { token: globex.tokens[0] })
      )
      assert.strictEqual(count, theirs.length)
      assert.isTrue(theirs.every((_: { project_id: string }) => _.project_id === globex.projectId))
      const all = jsonOf(yield* call("operator", "GET", "/v1/credentials/usage?limit=2", { token: operator }))
      assert.lengthOf(all.usage, 2)
      assert.isAbove(all.count, count)
      assert.isString(all.next_cursor)
    })
  )
})
