import { assert, describe, it, layer } from "@effect/vitest"
import * as ServerLogs from "@portico/gateway/observability/logs"
import { scrubbed, scrubbedIn } from "@portico/gateway/observability/scrub"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { ServiceName } from "@portico/simulator/Wire"
import { Cause, Effect, Layer, Logger, Schema } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { Logs } from "../harness/Logs.ts"
import { nameOf, type Route, routes } from "../routes/routes.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** The log as production writes it. */
const Production = Layer.unwrap(
  Effect.sync(() => {
    const lines: Array<string> = []
    const logs = Logs.of({
      lines: Effect.sync(() => [...lines]),
      forget: Effect.sync(() => void (lines.length = 0))
    })
    const write = Logger.map(ServerLogs.lineAs("json"), (line) => void lines.push(line))
    return Layer.merge(Layer.succeed(Logs, logs), Logger.layer([write]))
  })
)

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer), Layer.provideMerge(Production))

const Line = Schema.fromJsonString(
  Schema.Struct({
    timestamp: Schema.String,
    level: Schema.Literals(["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]),
    message: Schema.String,
    request_id: Schema.optionalKey(Schema.String),
    trace_id: Schema.optionalKey(Schema.String),
    data: Schema.optionalKey(Schema.Unknown),
    annotations: Schema.optionalKey(Schema.Unknown),
    cause: Schema.optionalKey(Schema.String)
  })
)

const linesOf = Effect.gen(function* () {
  return yield* Effect.forEach(yield* (yield* Logs).lines, (_) => Schema.decodeEffect(Line)(_))
})

const canary = "canary-9f86d081884c"

const services: ReadonlyArray<ServiceName> = [
  "keystone",
  "nova",
  "neutron",
  "cinder",
  "glance",
  "octavia",
  "designate",
  "rgw",
  "zitadel",
  "kubernetes",
  "billing"
]

/** What systems say in the worst case: what they were told. */
const indiscreet = {
  error: {
    message: `X-Auth-Token: ${canary} password=${canary} Bearer ${canary}`,
    headers: { authorization: `Bearer ${canary}` }
  },
  message: `Signature=${canary} https://user:${canary}@cloud.internal/`,
  password: canary
}

const breakAll = (status: number, of: ReadonlyArray<ServiceName>, but: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    for (const service of of) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((_) => !but.includes(`${service} ${_}`))) {
        const as = { status, body: indiscreet }
        yield* cloud.fault({ service, method, path: "/**", times: "always", when: "before", as })
      }
    }
  })

const headers = {
  "x-auth-token": canary,
  "x-subject-token": canary,
  cookie: `session=${canary}`,
  "x-amz-security-token": canary
}

const body = {
  name: "a",
  password: canary,
  adminPass: canary,
  secret: canary,
  server: { user_data: canary, adminPass: canary },
  auth: { identity: { password: { user: { password: canary } } } }
}

const call = Effect.fnUntraced(function* (route: Route, token: string) {
  const gateway = yield* TestGateway
  const path = route.path.replace("/*", route.path.includes("iaas") ? "/compute/servers" : "/api/v1/pods")
  const filled = path.replaceAll(/:[a-z_]+/g, "some-id")
  const plane = route.planes.has("customer") ? "customer" : "operator"
  return yield* gateway.call(plane, route.method, `${filled}?X-Amz-Signature=${canary}&token=${canary}`, {
    token,
    headers,
    body: route.method === "GET" || route.method === "HEAD" ? undefined : body
  })
})

/** What the gateway itself must keep: its own credentials, and the callers'. */
const secrets = Effect.gen(function* () {
  const cast = yield* Cast
  const { world } = yield* SimulatedCloud
  return [
    canary,
    ...cast.acme.tokens,
    operator,
    fixtures.control.password,
    fixtures.rgw.secretKey,
    fixtures.kubernetes.token,
    fixtures.billing.token,
    fixtures.idp.serviceToken,
    fixtures.idp.introspection.clientSecret,
    "tenant-password-key-of-the-simulated-cloud",
    ...Object.keys(world.keystone.tokens)
  ]
})

const holdsNone = Effect.gen(function* () {
  const lines = yield* (yield* Logs).lines
  for (const secret of yield* secrets) {
    assert.isUndefined(
      lines.find((_) => _.includes(secret)),
      secret
    )
  }
})

layer(Everything)("the log, for any call", (it) => {
  it.effect("holds no secret of a request, the gateway or a failing system", () =>
    Effect.gen(function* () {
      const cast = yield* Cast
      yield* breakAll(400, services, ["zitadel POST"])
      yield* Effect.forEach(routes, (route) => call(route, route.platformAdmin ? operator : cast.acme.tokens[2]), {
        concurrency: 8,
        discard: true
      })
      const lines = yield* linesOf
      assert.isAbove(lines.length, 0)
      yield* holdsNone
    })
  )

  it.effect("has the request's ids in every line, of a route as of a proxy", () =>
    Effect.gen(function* () {
      const logs = yield* Logs
      yield* breakAll(400, ["zitadel"])
      const kinds = new Map(routes.filter((_) => _.authenticated).map((_) => [_.path.split("/")[2], _]))
      for (const [index, route] of [...kinds.values()].entries()) {
        yield* logs.forget
        const answer = yield* call(route, `${canary}-${index}`)
        const lines = yield* linesOf
        const about = lines.filter((_) => _.message === "a token could not be introspected")
        assert.isAbove(about.length, 0, nameOf(route))
        for (const line of about) {
          assert.strictEqual(line.request_id, answer.headers["x-request-id"], nameOf(route))
          assert.match(line.trace_id ?? "", /^[0-9a-f]{32}$/)
        }
      }
      yield* holdsNone
    })
  )
})

/** Ways in which a line can be written without a text. */
const untitled: Readonly<Record<string, Effect.Effect<void, never>>> = {
  "an ignored failure": Effect.ignore(Effect.fail(new Error("it is broken")), { log: "Warn" }),
  "an ignored defect": Effect.ignoreCause(Effect.die(new Error("it is broken")), { log: "Warn" }),
  "a cause": Effect.logWarning(Cause.fail(new Error("it is broken"))),
  "an empty text": Effect.logWarning("", { a: "it is broken" }),
  "a blank text": Effect.logWarning("  ", Cause.fail(new Error("it is broken"))),
  "an object": Effect.logWarning({ a: "it is broken" }),
  "nothing but null": Effect.logWarning(null),
  nothing: Effect.logWarning()
}

describe("a line without a text", () => {
  for (const [what, log] of Object.entries(untitled)) {
    it.effect(`still has a message: ${what}`, () =>
      Effect.gen(function* () {
        yield* log
        const [line, ...more] = yield* linesOf
        assert.deepStrictEqual(more, [])
        assert.notStrictEqual(line?.message.trim() ?? "", "")
        // It is not said twice, and what there is is said.
        if (line?.cause !== undefined) assert.include(line.message, "it is broken")
        else if (!what.startsWith("nothing")) assert.include(JSON.stringify(line), "it is broken")
        assert.notInclude(JSON.stringify(line?.data ?? []), "null")
      }).pipe(Effect.provide(Layer.fresh(Production)))
    )
  }
})

describe("a text for the log", () => {
  const told = [
    `Authorization: Bearer ${canary}`,
    `{"x-auth-token":"${canary}"}`,
    `{\\"client_secret\\":\\"${canary}\\"}`,
    `X-Subject-Token=${canary}`,
    `postgres://portico:${canary}@db/portico`,
    `?X-Amz-Signature=${canary}&X-Amz-Date=1`,
    `AWS4-HMAC-SHA256 Credential=A/20260101, Signature=${canary}`,
    `adminPass: ${canary}`,
    "gAAAAABn0123456789012345678901234567",
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.abc"
  ]
  for (const text of told) {
    it(`is redacted: ${text.slice(0, 30)}`, () => {
      const clean = scrubbed(text)
      assert.notInclude(clean, canary)
      assert.notMatch(clean, /gAAAA|eyJ/)
      assert.include(clean, "<redacted>")
    })
  }

  it("is unchanged without a secret", () => {
    for (const text of ["the token is not active", "GET /v1/credentials failed", "password too short", '{"a":1}']) {
      assert.strictEqual(scrubbed(text), text)
    }
  })

  it("is redacted at any depth", () => {
    assert.deepStrictEqual(scrubbedIn({ a: [{ password: 1, b: `Bearer ${canary}` }], c: null, secret: null }), {
      a: [{ password: "<redacted>", b: "Bearer <redacted>" }],
      c: null,
      secret: null
    })
  })
})
