import { Components } from "@portico/domain/health/Components"
import { CustomerApi } from "@portico/contract/Api"
import { JobCounts, run } from "@portico/gateway/jobs/job"
import * as JobCountsLive from "@portico/gateway/jobs/job"
import { templatesOf } from "@portico/gateway/observability/templates"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { Cast } from "../harness/Cast.ts"
import { withoutChance } from "../harness/http.ts"
import { routes } from "../routes/routes.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { inTime, settle, until } from "@portico/testing/clock"
import { metrics, samplesIn, valueOf } from "./exposition.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** How much a number grew by doing something; the answer may be there a moment before its request is counted. */
const growth = Effect.fnUntraced(function* <A, E, R>(
  name: string,
  labels: Readonly<Record<string, string>>,
  doing: Effect.Effect<A, E, R>,
  expected: number
) {
  const before = valueOf(yield* metrics, name, labels)
  yield* doing
  yield* settle
  const grown = valueOf(yield* metrics, name, labels) - before
  assert.strictEqual(grown, expected, `${name} ${JSON.stringify(labels)}`)
})

layer(Everything)("the metrics", (it) => {
  it.effect("are absent on the customer plane, like a random path, with and without a token", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      for (const token of [undefined, acme.tokens[2]]) {
        for (const method of ["GET", "POST"]) {
          const there = yield* call("customer", method, "/metrics", { token })
          const nowhere = yield* call("customer", method, "/nowhere", { token })
          assert.strictEqual(there.status, 404)
          assert.deepStrictEqual(withoutChance(there), withoutChance(nowhere))
        }
      }
    })
  )

  it.effect("are public on the administrative address, in the text format", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const answer = yield* call("operator", "GET", "/metrics")
      assert.strictEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.isAbove(samplesIn(answer.text).length, 20)
    })
  )

  it.effect("count each request once, by plane, route, method and class of status", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const [token] = acme.tokens
      const path = `/v1/credentials/${acme.credentialIds[0]}`
      const cases = [
        ["customer", "GET", "/v1/whoami", "/v1/whoami", "2xx"],
        ["customer", "GET", "/v1/whoami?a=b", "/v1/whoami", "4xx"],
        ["operator", "GET", "/v1/whoami", "/v1/whoami", "2xx"],
        ["customer", "DELETE", path, "/v1/credentials/:credential_id", "4xx"],
        ["customer", "GET", "/v1/tenants", "none", "4xx"],
        ["customer", "GET", "/v1/no/such/thing", "none", "4xx"],
        ["customer", "PROPFIND", "/v1/whoami", "/v1/whoami", "4xx", "other"],
        ["customer", "GET", "/v1/iaas/compute/servers?x=1", "/v1/iaas/compute/*", "2xx"],
        ["customer", "DELETE", "/v1/iaas/compute/servers/a", "/v1/iaas/compute/*", "4xx"],
        ["customer", "GET", "/v1/iaas/nowhere/servers", "/v1/iaas/*", "4xx"],
        ["customer", "GET", "/v1/kubernetes/api/v1/pods", "/v1/kubernetes/*", "4xx"]
      ] as const
      for (const [plane, method, asked, route, status, counted = method] of cases) {
        const labels = { plane, route, method: counted, status }
        yield* growth("portico_http_requests_total", labels, call(plane, method, asked, { token }), 1)
      }
      yield* growth(
        "portico_http_request_duration_seconds_count",
        { plane: "customer", route: "/v1/iaas/compute/*" },
        call("customer", "GET", "/v1/iaas/compute/servers", { token }),
        1
      )
    })
  )

  it.effect("count a request that has not ended", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "nova",
        method: "GET",
        path: "/v2.1/servers",
        when: "before",
        as: { delay_ms: 400 }
      })
      const [token] = acme.tokens
      const inFlight = Effect.map(metrics, (_) => valueOf(_, "portico_http_requests_in_flight", { plane: "customer" }))
      const servers = yield* Effect.forkChild(call("customer", "GET", "/v1/iaas/compute/servers", { token }))
      yield* until(Effect.map(inFlight, (_) => _ === 1))
      yield* inTime(Fiber.join(servers))
      yield* until(Effect.map(inFlight, (_) => _ === 0))
    })
  )

  it.effect("do not grow with clients' input", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const [token] = acme.tokens
      const shots = (round: number) =>
        Effect.forEach(
          [
            `/v1/credentials/${round}`,
            `/${round}`,
            `/v1/${round}`,
            `/v1/iaas/${round}/x`,
            `/v1/iaas/compute/servers/${round}`,
            `/v1/kubernetes/${round}`
          ],
          (path) => call("customer", "GET", path, { token })
        )
      yield* shots(0)
      yield* settle
      const before = (yield* metrics).length
      for (let round = 1; round < 10; round++) yield* shots(round)
      yield* settle
      assert.strictEqual((yield* metrics).length, before)
    })
  )

  it.effect("count upstream calls with their outcome, from a route as through a proxy", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const [token] = acme.tokens
      const calls = "portico_upstream_calls_total"
      const servers = call("customer", "GET", "/v1/iaas/compute/servers", { token })
      const quotas = call("customer", "GET", "/v1/quotas", { token })
      const nova = (outcome: string) => ({ system: "nova", outcome })
      yield* growth(calls, nova("2xx"), servers, 1)
      yield* growth("portico_upstream_call_duration_seconds_count", { system: "nova" }, servers, 1)
      yield* growth(calls, { system: "cinder", outcome: "2xx" }, quotas, 1)
      for (const [as, outcome] of [
        [{ status: 500 }, "5xx"],
        ["reset", "none"]
      ] as const) {
        yield* cloud.fault({ service: "nova", method: "GET", path: "/v2.1/servers", when: "before", as })
        yield* growth(calls, nova(outcome), servers, 1)
      }
    })
  )

  it.effect("count every upstream call, of any purpose", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { globex } = yield* Cast
      const cloud = yield* SimulatedCloud
      const [, , token] = globex.tokens
      const counted = Effect.map(metrics, (samples) => {
        const all = samples.filter((_) => _.name === "portico_upstream_calls_total")
        return (system: string) => valueOf(all, "portico_upstream_calls_total", { system })
      })
      const before = yield* counted
      yield* cloud.clearCalls

      const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

      const balancer = "/v1/iaas/load-balancer/lbaas/loadbalancers/none"
      const deeds = {
        "a probe": Effect.as(
          Effect.flatMap(Components, (_) => _.round),
          { status: 200, text: "" }
        ),
        "an introspection": call("customer", "GET", "/v1/whoami", { token: "nobody-knows-it" }),
        "a client's grant": call("customer", "GET", "/v1/registry/token?service=registry", {
          headers: { authorization: basic("no-client", "no-secret") }
        }),
        "a login, and a look at what a rule has to know": call("customer", "GET", balancer, { token }),
        "a bucket": call("customer", "POST", "/v1/object-storage/buckets", { token, body: { name: "counted" } }),
        "what S3 knows of it": call("customer", "GET", "/v1/object-storage/buckets/counted/versioning", { token }),
        "the cluster": call("customer", "GET", "/v1/kubernetes/version", { token })
      }
      for (const [what, deed] of Object.entries(deeds)) {
        const { status, text } = yield* deed
        assert.isBelow(status, 500, `${what}: ${text}`)
      }
      yield* settle
      const seen = new Map<string, number>()
      for (const { service } of yield* cloud.calls) {
        const system = service === "prometheus" ? "monitoring" : service
        seen.set(system, (seen.get(system) ?? 0) + 1)
      }
      const now = yield* counted
      const grown = [...seen.keys()].map((system) => [system, now(system) - before(system)] as const)
      assert.includeMembers(
        [...seen.keys()],
        ["keystone", "nova", "neutron", "rgw", "zitadel", "designate", "barbican"]
      )
      assert.deepStrictEqual(Object.fromEntries(grown), Object.fromEntries(seen))
    })
  )

  it.effect("count hits and misses of the token cache", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const lookups = "portico_token_cache_lookups_total"
      yield* growth(lookups, { result: "miss" }, call("customer", "GET", "/v1/whoami", { token: "unknown-token" }), 1)
      const known = call("customer", "GET", "/v1/whoami", { token: acme.tokens[1] })
      yield* known
      yield* growth(lookups, { result: "hit" }, known, 1)
    })
  )

  it.effect("have the process's state", () =>
    Effect.gen(function* () {
      const samples = yield* metrics
      for (const name of ["process_resident_memory_bytes", "nodejs_heap_used_bytes", "process_cpu_seconds_total"]) {
        assert.isAbove(valueOf(samples, name), 0, name)
      }
      for (const name of ["nodejs_eventloop_lag_p99_seconds", "nodejs_gc_runs_total", "portico_events_waiting"]) {
        assert.isTrue(
          samples.some((_) => _.name === name),
          name
        )
      }
    })
  )
})

it.effect("a job's rounds and failures are counted, with its last success", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(60_000)
    yield* run("tidy", Effect.sleep("2 seconds").pipe(Effect.andThen(Effect.void))).pipe(
      Effect.forkChild,
      Effect.andThen(TestClock.adjust("2 seconds"))
    )
    yield* run("tidy", Effect.die("broken"))
    const samples = samplesIn(yield* PrometheusMetrics.format())
    const labels = { task: "tidy" }
    assert.strictEqual(valueOf(samples, "portico_job_runs_total", labels), 2)
    assert.strictEqual(valueOf(samples, "portico_job_failures_total", labels), 1)
    assert.strictEqual(valueOf(samples, "portico_job_duration_seconds_sum", labels), 2)
    assert.strictEqual(valueOf(samples, "portico_job_last_success_timestamp_seconds", labels), 62)
    assert.isDefined((yield* JobCounts).of("tidy"))
  }).pipe(
    Effect.provide(JobCountsLive.layer.pipe(Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))))
  )
)

describe("a path's route", () => {
  it("is the declared one, for every route", () => {
    const templateOf = templatesOf(CustomerApi)
    for (const { path, planes } of routes.filter((_) => _.planes.has("customer"))) {
      assert.isTrue(planes.has("customer"))
      assert.strictEqual(templateOf(path.replaceAll(/:[a-z_]+/g, "x1").replace("/*", "/a/b")), path)
    }
    for (const path of ["/", "", "/v1", "/v1/credentials/", "/v1/credentials/a/b/c", "//v1/whoami"]) {
      assert.isUndefined(templateOf(path), path)
    }
  })
})
