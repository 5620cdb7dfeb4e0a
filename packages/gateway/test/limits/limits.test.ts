import { discoveryPath } from "@portico/gateway/requests/discoveryPath"
import { assert, layer } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Cast, operator } from "../harness/Cast.ts"
import { dialled } from "../kubernetes/ClusterStream.ts"
import type { Answer, Asked } from "../harness/http.ts"
import { stock } from "../harness/Stock.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** Calls a minute. */
const limit = 40

const settings = Effect.map(Tap.settings, (_) => ({ ..._, RATE_LIMIT_RPM_DISCOVERY: String(limit) }))

const Limited = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(Tap.layer),
  Layer.provideMerge(TestGateway.cloud)
)

const Compatible = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(settings, (_) => ({ ..._, OPENSTACK_COMPATIBILITY: "true" })))),
  Layer.provideMerge(Tap.layer),
  Layer.provideMerge(TestGateway.cloud)
)

interface Row {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly tier?: 0 | 1 | 2
  readonly body?: unknown
  readonly headers?: Asked["headers"]
}

const form = { "content-type": "application/x-www-form-urlencoded" }

/** What a tenant can be answered, and by whom. */
const rows: ReadonlyArray<Row> = [
  { method: "GET", path: "/v1/whoami", status: 200 },
  { method: "HEAD", path: "/v1/whoami", status: 200 },
  { method: "GET", path: "/v1/nat-gateways", status: 200 },
  { method: "POST", path: "/v1/credentials", status: 422, body: { kind: "nonsense" } },
  { method: "POST", path: "/v1/credentials", status: 415, body: "a=b", headers: form },
  { method: "POST", path: "/v1/nat-gateways", status: 403, tier: 0, body: {} },
  { method: "DELETE", path: "/v1/credentials/cred-of-nobody", status: 404 },
  { method: "GET", path: "/v1/nowhere", status: 404 },
  { method: "GET", path: "/v1/tenants", status: 404 },
  { method: "POST", path: "/v1/whoami", status: 405 },
  { method: "GET", path: "/v1/whoami;a=b", status: 400 },
  { method: "GET", path: "/v1/iaas/compute/servers", status: 200 },
  { method: "HEAD", path: "/v1/iaas/image/images", status: 404 },
  { method: "GET", path: "/v1/iaas/compute/servers/none", status: 404 },
  { method: "GET", path: "/v1/iaas/nowhere/servers", status: 404 },
  { method: "GET", path: "/v1/iaas/compute/../servers", status: 400 },
  { method: "DELETE", path: "/v1/iaas/compute/servers/none", status: 403, tier: 0 },
  { method: "POST", path: "/v1/iaas/network/networks", status: 400, body: { network: { nonsense: 1 } } },
  { method: "GET", path: "/v1/kubernetes/version", status: 200 },
  { method: "GET", path: "/v1/kubernetes/api/v1/nodes", status: 404 },
  { method: "POST", path: "/v1/kubernetes/api/v1/namespaces", status: 403, tier: 0, body: {} }
]

const told = ({ headers }: Answer) => ({
  limit: headers["ratelimit-limit"],
  remaining: headers["ratelimit-remaining"],
  reset: headers["ratelimit-reset"]
})

const untold = { limit: undefined, remaining: undefined, reset: undefined }
const spent = { limit: String(limit), remaining: "0", reset: "60" }

const refusal = {
  detail: `The tenant's allowance of ${limit} requests a minute is used up; try again later`,
  code: "rate_limited"
}

/** All allowances are whole. */
const rested = TestClock.adjust("1 minute")

const ask = Effect.fnUntraced(function* ({ body, headers, method, path, tier = 2 }: Row) {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  return yield* call("customer", method, path, { token: acme.tokens[tier], body, headers })
})

/** Acme's allowance is used up, by whichever credential. */
const exhausted = Effect.gen(function* () {
  yield* rested
  const row = { method: "GET", path: "/v1/whoami", status: 200 }
  for (let nth = 0; nth < limit; nth++) {
    assert.strictEqual((yield* ask({ ...row, tier: nth % 2 === 0 ? 2 : 0 })).status, 200)
  }
})

layer(Limited)("a tenant's calls", (it) => {
  it.effect("are counted one by one, with any answerer and status", () =>
    Effect.gen(function* () {
      yield* rested
      for (const [nth, row] of rows.entries()) {
        const answer = yield* ask(row)
        const at = `${row.method} ${row.path}`
        assert.strictEqual(answer.status, row.status, `${at}: ${answer.text}`)
        const reset = String(Math.ceil(((nth + 1) * 60) / limit))
        assert.deepStrictEqual(told(answer), { limit: String(limit), remaining: String(limit - nth - 1), reset }, at)
        assert.notProperty(answer.headers, "retry-after", at)
      }
    })
  )

  it.effect("beyond the allowance are refused before any other check, and have no effect", () =>
    Effect.gen(function* () {
      yield* exhausted
      const { trace } = yield* TestGateway
      const before = yield* trace
      for (const row of rows) {
        const answer = yield* ask(row)
        const at = `${row.method} ${row.path}`
        assert.strictEqual(answer.status, 429, at)
        assert.deepStrictEqual(told(answer), spent, at)
        assert.strictEqual(answer.headers["retry-after"], "60", at)
        if (row.method === "HEAD") continue
        const cluster = row.path.startsWith("/v1/kubernetes/")
        assert.deepInclude(
          jsonOf(answer),
          cluster ? { kind: "Status", reason: "TooManyRequests", code: 429, detail: refusal.detail } : refusal,
          at
        )
      }
      assert.deepStrictEqual(yield* trace, before)
    })
  )

  it.effect("are counted and refused too when they would be upgraded", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const path = `/api/v1/namespaces/${acme.projectId}/pods/none/exec?command=id`
      yield* rested
      const first = yield* dialled(path)
      assert.strictEqual(first.headers["ratelimit-remaining"], String(limit - 1))
      first.socket.destroy()
      yield* exhausted
      const refused = yield* dialled(path)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "60")
      refused.socket.destroy()
    })
  )

  it.effect("are possible again after the refusal's Retry-After", () =>
    Effect.gen(function* () {
      yield* exhausted
      const row = { method: "GET", path: "/v1/iaas/compute/servers", status: 200 }
      assert.strictEqual((yield* ask(row)).status, 429)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* ask(row)).headers["retry-after"], "1")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* ask(row)).status, 200)
    })
  )

  it.effect("do not count for another tenant, an administrator or an anonymous caller", () =>
    Effect.gen(function* () {
      yield* exhausted
      const { globex, revoked } = yield* Cast
      const { call } = yield* TestGateway
      for (const path of ["/v1/whoami", "/v1/iaas/compute/servers"]) {
        const other = yield* call("customer", "GET", path, { token: globex.tokens[2] })
        assert.strictEqual(other.status, 200)
        assert.strictEqual(other.headers["ratelimit-limit"], String(limit))
        const administrator = yield* call("customer", "GET", path, { token: operator })
        assert.deepStrictEqual([administrator.status, told(administrator)], [path === "/v1/whoami" ? 200 : 409, untold])
        for (const token of [undefined, "garbage", revoked]) {
          const nobody = yield* call("customer", "GET", path, { token })
          assert.deepStrictEqual([nobody.status, told(nobody)], [401, untold])
        }
      }
    })
  )

  it.effect("are free on public routes, and on the operators' plane", () =>
    Effect.gen(function* () {
      yield* exhausted
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const token = acme.tokens[2]
      for (const path of ["/health", "/health/ready", "/openapi.json", "/docs", "/v1/registry/jwks", discoveryPath]) {
        const answer = yield* call("customer", "GET", path, { token })
        assert.deepStrictEqual([answer.status, told(answer)], [200, untold], path)
      }
      for (const path of ["/v1/whoami", "/v1/iaas/compute/servers", "/v1/kubernetes/version"]) {
        const answer = yield* call("operator", "GET", path, { token })
        assert.deepStrictEqual([answer.status, told(answer)], [200, untold], path)
      }
      const strange = yield* call("customer", "GET", "/v1/nowhere", { token: "garbage" })
      assert.deepStrictEqual([strange.status, told(strange)], [404, untold])
    })
  )

  it.effect("for tokens of the registry count once the login is good", () =>
    Effect.gen(function* () {
      yield* rested
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const login = (password: string) => {
        const authorization = `Basic ${Buffer.from(`ci:${password}`).toString("base64")}`
        return call("customer", "GET", "/v1/registry/token?service=registry", { headers: { authorization } })
      }
      const good = yield* login(acme.tokens[1])
      assert.deepStrictEqual([good.status, good.headers["ratelimit-remaining"]], [200, String(limit - 1)])
      const bad = yield* login("garbage")
      assert.deepStrictEqual([bad.status, told(bad)], [401, untold])
      yield* exhausted
      const refused = yield* login(acme.tokens[1])
      assert.deepStrictEqual([refused.status, told(refused)], [429, spent])
      assert.strictEqual(refused.headers["retry-after"], "60")
      assert.deepStrictEqual(jsonOf(refused), refusal)
    })
  )

  it.effect("have the gateway's rate limit headers, never an upstream's", () =>
    Effect.gen(function* () {
      yield* rested
      const tap = yield* Tap
      const theirs = {
        "RateLimit-Limit": "5",
        "RateLimit-Remaining": "4",
        "RateLimit-Reset": "3",
        RateLimit: "a;r=1",
        "RateLimit-Policy": "a;q=5",
        "X-RateLimit-Limit": "5",
        "Retry-After": "7"
      }
      yield* tap.script((_, to) => void to.writeHead(503, theirs).end())
      const answer = yield* ask({ method: "GET", path: "/v1/iaas/dns/zones", status: 503 })
      assert.strictEqual(answer.status, 503)
      assert.deepStrictEqual(told(answer), { limit: String(limit), remaining: String(limit - 1), reset: "2" })
      for (const name of ["ratelimit", "ratelimit-policy", "x-ratelimit-limit"])
        assert.notProperty(answer.headers, name)
      assert.strictEqual(answer.headers["retry-after"], "7")
    })
  )

  it.effect("are recorded in the audit when a write is refused, and not for a read", () =>
    Effect.gen(function* () {
      yield* exhausted
      const { acme } = yield* Cast
      for (const path of ["/v1/nat-gateways", "/v1/iaas/compute/servers"]) {
        yield* ask({ method: "POST", path, status: 429, body: { a: 1 } })
        yield* ask({ method: "GET", path, status: 429 })
      }
      yield* TestClock.adjust("1 second")
      const rows = yield* (yield* EventLog).page(auditTopic, 0, 10_000)
      const refused = rows
        .map(({ envelope }) => JSON.parse(JSON.stringify(envelope)))
        .filter((_) => _.data.status === 429)
        .slice(-2)
      assert.deepStrictEqual(
        refused.map(({ data, project_id }) => [project_id, data.credential_id, data.method]),
        [
          [acme.projectId, acme.credentialIds[2], "POST"],
          [acme.projectId, acme.credentialIds[2], "POST"]
        ]
      )
    })
  )
})

layer(Compatible)("calls of OpenStack's own clients", (it) => {
  it.effect("count as any other, the token call too", () =>
    Effect.gen(function* () {
      yield* rested
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [token] = acme.tokens
      const auth = { identity: { methods: ["token"], token: { id: token } } }
      const answers = [
        yield* call("customer", "POST", "/v1/iaas/identity/v3/auth/tokens", { body: { auth } }),
        yield* stock(token, "GET", "/compute/v2.1"),
        yield* stock(token, "GET", "/compute/v2.1/servers")
      ]
      assert.deepStrictEqual(
        answers.map((_) => [_.status, _.headers["ratelimit-remaining"]]),
        [
          [201, "39"],
          [200, "38"],
          [200, "37"]
        ]
      )
      yield* exhausted
      const refused = yield* call("customer", "POST", "/v1/iaas/identity/v3/auth/tokens", { body: { auth } })
      assert.deepStrictEqual([refused.status, told(refused)], [429, spent])
      assert.deepInclude(jsonOf(refused).error, { code: 429, title: "Too Many Requests" })
    })
  )
})
