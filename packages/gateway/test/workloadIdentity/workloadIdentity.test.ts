import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { Cast, operator, tenant } from "../harness/Cast.ts"
import { dialled } from "../kubernetes/ClusterStream.ts"
import { Clustered, failed, home, runningPod } from "../kubernetes/ClusterTap.ts"
import { withoutChance } from "../harness/http.ts"
import { byToken, compatible, login, stock } from "../harness/Stock.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { audience, clusterIssuer, issuerOf, mapped, ownCluster, podToken, workloadToken } from "./workloads.ts"

const live = { excludeTestServices: true }
const issuers = "/v1/workload-identity/issuers"
const exchange = "/v1/workload-identity/token-exchange"

/** Acme's mapping of the cluster, in the tier of the story, and no other. */
const acmeMapped = Effect.fnUntraced(function* (tier = 1) {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  const listed = jsonOf(yield* call("operator", "GET", issuers, { token: operator })).issuers
  for (const { issuer_id } of listed) yield* call("operator", "DELETE", `${issuers}/${issuer_id}`, { token: operator })
  return yield* mapped(acme.projectId, { tier })
})

layer(Clustered, live)("a workload's Bearer", (it) => {
  it.effect("is accepted on every route like a credential of its tier, on both planes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const { issuer_id } = yield* acmeMapped(1)
      // What exchanges it holds more than the mapping gives.
      const token = yield* workloadToken(acme.tokens[2])
      const configMaps = `/v1/kubernetes${yield* home}/configmaps`
      for (const plane of planes) {
        const who = jsonOf(yield* call(plane, "GET", "/v1/whoami", { token }))
        assert.deepInclude(who, { user_id: `${issuer_id}/default/default`, tier: 1, credential_id: issuer_id })
        assert.deepInclude(who.tenant, { id: acme.projectId, source: "workload_identity" })
        const statuses: Array<number> = []
        for (const [method, path, body] of [
          ["GET", "/v1/credentials"],
          ["GET", "/v1/quotas"],
          ["GET", "/v1/iaas/compute/servers"],
          ["POST", "/v1/iaas/compute/os-keypairs", { keypair: { name: `key-${plane}` } }],
          ["DELETE", `/v1/iaas/compute/os-keypairs/key-${plane}`],
          ["GET", "/v1/kubernetes/version"],
          ["POST", configMaps, { metadata: { name: `map-${plane}` } }],
          ["DELETE", `${configMaps}/map-${plane}`],
          ["POST", "/v1/credentials", { kind: "api-key", tier: 1, label: `of ${plane}` }],
          ["POST", "/v1/credentials", { kind: "api-key", tier: 2, label: "more" }]
        ] as const) {
          statuses.push((yield* call(plane, method, path, { token, body })).status)
        }
        assert.deepStrictEqual(statuses, [200, 200, 200, 200, 403, 200, 201, 403, 201, 403], plane)
      }
    })
  )

  it.effect("connects to a pod of its tenant, and to no other", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      yield* acmeMapped(1)
      const token = yield* workloadToken(acme.tokens[2])
      const headers = { "Sec-WebSocket-Protocol": "v4.channel.k8s.io" }
      const raw = yield* dialled(`${yield* runningPod("web")}/exec?command=echo&stdout=1`, { token, headers })
      assert.strictEqual(raw.status, 101)
      raw.socket.destroy()
    })
  )

  it.effect("is refused from the next request after its mapping is removed or changed, everywhere", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const body = { detail: "Token is not active", code: "token_inactive" }
      for (const [method, change] of [["DELETE"], ["PATCH", { enabled: false }], ["PATCH", { tier: 2 }]] as const) {
        const { issuer_id } = yield* acmeMapped()
        const token = yield* workloadToken(acme.tokens[2])
        for (const plane of planes) assert.strictEqual((yield* call(plane, "GET", "/v1/whoami", { token })).status, 200)
        yield* call("operator", method, `${issuers}/${issuer_id}`, { token: operator, body: change })
        for (const plane of planes) {
          for (const path of ["/v1/whoami", "/v1/iaas/compute/servers"]) {
            const answer = yield* call(plane, "GET", path, { token })
            assert.deepStrictEqual([answer.status, jsonOf(answer)], [401, body])
          }
          const answer = yield* call(plane, "GET", "/v1/kubernetes/version", { token })
          assert.deepStrictEqual(jsonOf(answer), failed(401, "Unauthorized", body.code, body.detail))
        }
        const raw = yield* dialled(`${yield* home}/pods/web/exec?command=echo`, { token })
        assert.strictEqual(raw.status, 401)
        raw.socket.destroy()
      }
    })
  )
})

layer(compatible(), live)("a workload's Bearer with stock clients of OpenStack", (it) => {
  it.effect("logs in, and is accepted like a token until it expires", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      yield* mapped(acme.projectId)
      const token = yield* workloadToken(acme.tokens[2])
      const answer = yield* login(byToken(token))
      assert.strictEqual(answer.status, 201, answer.text)
      const { expires_at, issued_at, project } = jsonOf(answer).token
      assert.strictEqual(project.id, acme.projectId)
      const left = Date.parse(expires_at) - Date.parse(issued_at)
      assert.isTrue(left > 3_500_000 && left <= 3_600_000, String(left))
      assert.strictEqual((yield* stock(token, "GET", "/compute/v2.1/servers")).status, 200)
    })
  )
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), live)("an exchange", (it) => {
  it.effect("answers with the names of RFC 8693, uncacheable", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      yield* acmeMapped()
      const names = {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token"
      }
      for (const more of [{}, names]) {
        const body = { subject_token: yield* podToken, ...more }
        const answer = yield* call("customer", "POST", exchange, { token: acme.tokens[0], body })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        const { access_token, ...rest } = jsonOf(answer)
        assert.match(access_token, /^portico_wi_/)
        assert.deepStrictEqual(rest, {
          issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
          token_type: "Bearer",
          expires_in: 3600
        })
      }
    })
  )

  const bodies: Readonly<Record<string, readonly [body: object, status: number]>> = {
    "no token": [{}, 422],
    "an empty token": [{ subject_token: "" }, 422],
    "a list of tokens": [{ subject_token: ["a.b.c"] }, 422],
    "16 KiB": [{ subject_token: "x".repeat(16_384) }, 401],
    "a letter more": [{ subject_token: "x".repeat(16_385) }, 422],
    "64 KiB": [{ subject_token: "x".repeat(65_536) }, 413],
    "an audience of the caller's": [{ subject_token: "a.b.c", audience }, 422],
    "a scope of the caller's": [{ subject_token: "a.b.c", scope: "admin" }, 422],
    "a tier of the caller's": [{ subject_token: "a.b.c", tier: 2 }, 422],
    "an actor": [{ subject_token: "a.b.c", actor_token: "a.b.c" }, 422],
    "another kind of token": [
      { subject_token: "a.b.c", subject_token_type: "urn:ietf:params:oauth:token-type:saml2" },
      422
    ],
    "another grant": [{ subject_token: "a.b.c", grant_type: "client_credentials" }, 422]
  }
  for (const [what, [body, status]] of Object.entries(bodies)) {
    it.effect(`of ${what} is a ${status} without its content`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        const answer = yield* call("customer", "POST", exchange, { token: acme.tokens[2], body })
        assert.strictEqual(answer.status, status, answer.text)
        assert.notInclude(answer.text, "xxxx")
        assert.notInclude(answer.text, "a.b.c")
      })
    )
  }

  it.effect("of another tenant's cluster and an unknown one are the same bytes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { globex } = yield* Cast
      yield* acmeMapped()
      const asked = (subject_token: string) =>
        Effect.map(
          call("customer", "POST", exchange, { token: globex.tokens[2], body: { subject_token } }),
          withoutChance
        )
      const foreign = yield* asked(yield* podToken)
      const { tokenIssuer } = (yield* SimulatedCloud).world.kubernetes
      tokenIssuer.issuer = "https://nobody.example"
      const unknown = yield* asked(yield* podToken)
      tokenIssuer.issuer = clusterIssuer
      assert.strictEqual(foreign.status, 403)
      assert.deepStrictEqual(foreign, unknown)
    })
  )

  it.effect("answers 503 while the cluster's keys cannot be fetched", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      yield* acmeMapped()
      const cloud = yield* SimulatedCloud
      const body = { subject_token: yield* podToken }
      yield* cloud.fault({ service: "kubernetes", method: "GET", path: "/openid/v1/jwks", when: "before", as: "reset" })
      const answer = yield* call("customer", "POST", exchange, { token: acme.tokens[2], body })
      assert.deepStrictEqual(
        [answer.status, jsonOf(answer)],
        [
          503,
          {
            detail: "The keys of the subject token's issuer cannot be fetched right now",
            code: "issuer_unreachable"
          }
        ]
      )
    })
  )
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), live)("the operators' register of issuers", (it) => {
  const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    return yield* (yield* TestGateway).call("operator", method, `${issuers}${path}`, { token: operator, body })
  })
  const wanted = Effect.gen(function* () {
    const { acme } = yield* Cast
    return issuerOf(acme.projectId, (yield* ownCluster).jwksUri)
  })

  it.effect("shows registered issuers, a page at a time, without removed ones", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* Server
      const first = yield* ask("POST", "", { ...(yield* wanted), issuer: "https://one.example" })
      assert.strictEqual(first.status, 201, first.text)
      const { changed_at, created_at, created_by, issuer_id, ...rest } = jsonOf(first)
      assert.match(issuer_id, /^wi-[0-9a-f]{12}$/)
      assert.isString(created_by)
      assert.strictEqual(changed_at, created_at)
      assert.deepStrictEqual(rest, {
        issuer: "https://one.example",
        project_id: acme.projectId,
        tier: 1,
        audience,
        discovery_url: "https://one.example/.well-known/openid-configuration",
        jwks_uri: `${url}/kubernetes/openid/v1/jwks`,
        ca: null,
        subjects: ["system:serviceaccount:default:*"],
        max_lifetime_seconds: 86_400,
        enabled: true
      })
      yield* ask("POST", "", { ...(yield* wanted), issuer: "https://two.example/cluster" })
      const page = jsonOf(yield* ask("GET", "?limit=1"))
      assert.deepStrictEqual([page.count, page.issuers.length], [2, 1])
      const next = jsonOf(yield* ask("GET", `?limit=1&cursor=${page.next_cursor}`))
      assert.deepStrictEqual(
        [next.count, next.next_cursor, next.issuers[0].issuer],
        [2, null, "https://two.example/cluster"]
      )

      const changed = yield* ask("PATCH", `/${issuer_id}`, { jwks_uri: null, tier: 0, enabled: false })
      assert.deepInclude(jsonOf(changed), { issuer_id, jwks_uri: null, tier: 0, enabled: false, audience })
      for (const body of [
        { issuer: "https://x.example" },
        { project_id: "x" },
        { tier: 3 },
        { subjects: [] },
        { tier: null }
      ]) {
        assert.strictEqual((yield* ask("PATCH", `/${issuer_id}`, body)).status, 422, JSON.stringify(body))
      }
      assert.deepStrictEqual(jsonOf(yield* ask("DELETE", `/${issuer_id}`)), jsonOf(changed))
      for (const [method, body] of [["DELETE"], ["PATCH", {}]] as const) {
        for (const id of [issuer_id, "wi-000000000000", "%00", "..%2f"]) {
          const answer = yield* ask(method, `/${id}`, body)
          assert.deepStrictEqual([answer.status, jsonOf(answer).code], [404, "workload_issuer_not_found"])
        }
      }
    })
  )

  it.effect("has an issuer once, and only for an existing tenant", () =>
    Effect.gen(function* () {
      const body = { ...(yield* wanted), issuer: "https://once.example" }
      const other = yield* tenant("Initech")
      assert.strictEqual((yield* ask("POST", "", body)).status, 201)
      for (const project_id of [body.project_id, other.projectId]) {
        const again = yield* ask("POST", "", { ...body, project_id })
        assert.deepStrictEqual(
          [again.status, jsonOf(again)],
          [409, { detail: "The issuer is registered already", code: "issuer_registered" }]
        )
      }
      const nobody = yield* ask("POST", "", { ...body, issuer: "https://x.example", project_id: "none" })
      assert.deepStrictEqual([nobody.status, jsonOf(nobody).code], [404, "tenant_not_found"])
    })
  )

  const wrong: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    issuer: [
      "https://kubernetes.default.svc.cluster.local",
      "https://kubernetes.default.svc",
      "https://kubernetes.default",
      "https://KUBERNETES.default.svc.cluster.local/",
      "https://kubernetes.default.svc.cluster.local:443",
      "kubernetes/serviceaccount",
      "http://cluster.example",
      "https://",
      "https://cluster.example?x=1",
      "https://cluster.example#x",
      "https://user@cluster.example",
      "https://cluster.example/ x",
      "",
      null,
      "x".repeat(501)
    ],
    audience: ["", null, "https://kubernetes.default.svc.cluster.local", "two words", ["a"]],
    tier: [3, -1, "1", null, 0.5],
    jwks_uri: ["keys", "file:///etc/passwd", "https://user:pw@cluster.example/keys", "ftp://cluster.example"],
    discovery_url: ["keys", null],
    ca: ["PEM", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----"],
    subjects: [
      [],
      null,
      "system:serviceaccount:ci:*",
      ["*"],
      ["system:serviceaccount:*"],
      ["system:serviceaccount:a*b*c:x"],
      ["system:serviceaccount:ci:x:y"],
      ["system:node:*"],
      ["alice"],
      [""],
      Array.from({ length: 51 }, () => "system:serviceaccount:ci:x")
    ],
    max_lifetime_seconds: [599, 604_801, "3600", 1.5, null],
    enabled: ["true", null, 1],
    surprise: [1]
  }
  for (const [field, values] of Object.entries(wrong)) {
    it.effect(`refuses an invalid ${field}`, () =>
      Effect.gen(function* () {
        const body = yield* wanted
        for (const value of values) {
          const answer = yield* ask("POST", "", { ...body, [field]: value })
          assert.strictEqual(answer.status, 422, `${JSON.stringify(value)}: ${answer.text}`)
          assert.deepStrictEqual(jsonOf(answer).detail[0].loc.slice(0, 2), ["body", field])
        }
      })
    )
  }
})
