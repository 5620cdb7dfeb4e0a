import { assert, it, layer } from "@effect/vitest"
import { Components } from "@portico/domain/health/Components"
import { readiness } from "@portico/domain/health/readiness"
import * as JobCounts from "@portico/gateway/jobs/job"
import { run } from "@portico/gateway/jobs/job"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, repeatInTime } from "@portico/testing/clock"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Tenants } from "@portico/store/Tenants"
import { Probes } from "@portico/upstream/Probes"
import { Clock, ConfigProvider, Effect, Layer, Metric, Schema } from "effect"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const components = [
  "billing",
  "compute",
  "dns",
  "identity",
  "identity-provider",
  "image",
  "key-manager",
  "kubernetes",
  "load-balancer",
  "monitoring",
  "network",
  "object-storage",
  "volume"
]

/** The database is there all the same, and the jobs get on. */
const all = (state: "ok" | "down") => ({
  ...Object.fromEntries(components.map((_) => [_, state])),
  database: "ok",
  background: "ok"
})

/** Two rounds of the background job, so that what fails is more than a lone failure. */
const looked = Effect.gen(function* () {
  const { round } = yield* Components
  yield* inTime(round)
  yield* inTime(round)
})

const ready = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const [customer, operator] = yield* Effect.all(planes.map((_) => call(_, "GET", "/health/ready")))
  return {
    customer: { status: customer!.status, body: jsonOf(customer!) },
    operator: { status: operator!.status, body: { ...jsonOf(operator!), components: statesIn(jsonOf(operator!)) } }
  }
})

const ComponentMap = Schema.Struct({
  components: Schema.Record(
    Schema.String,
    Schema.Struct({ state: Schema.String, message: Schema.NullOr(Schema.String) })
  )
})
const decodeComponents = Schema.decodeUnknownSync(ComponentMap)

const statesIn = (body: unknown) =>
  Object.fromEntries(Object.entries(decodeComponents(body).components).map(([name, { state }]) => [name, state]))

const none = "not configured"

/** Everything that the planes say when nothing behind them answers. */
const degraded = {
  customer: { status: 200, body: { status: "degraded" } },
  operator: { status: 200, body: { status: "degraded", components: all("down") } }
}

const stillAlive = Effect.gen(function* () {
  const { call } = yield* TestGateway
  for (const plane of planes) {
    for (const path of ["/health", "/health/live"]) {
      const answer = yield* call(plane, "GET", path)
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [200, { status: "ok" }])
    }
  }
})

/** Nothing of an earlier story is in the way. */
const mended = Effect.gen(function* () {
  yield* (yield* SimulatedCloud).clearFaults
  const { round } = yield* Components
  yield* repeatInTime(Effect.andThen(inTime(round), ready), (_) => _.customer.body.status === "ready")
})

const systems = [
  "keystone",
  "nova",
  "neutron",
  "cinder",
  "glance",
  "octavia",
  "designate",
  "barbican",
  "rgw",
  "zitadel",
  "kubernetes",
  "billing",
  "prometheus"
] as const

const beside = [
  ["dns", "designate"],
  ["key-manager", "barbican"],
  ["kubernetes", "kubernetes"],
  ["billing", "billing"],
  ["monitoring", "prometheus"]
] as const

layer(TestGateway.layer)("a gateway in front of a whole cloud", (it) => {
  it.effect("live, without a token or with any other header", () => stillAlive)

  it.effect("ready; only operators see the components", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ready, {
        customer: { status: 200, body: { status: "ready" } },
        operator: { status: 200, body: { status: "ready", components: all("ok") } }
      })
    })
  )

  it.effect("any token, valid or not, makes no difference", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      for (const token of ["garbage", "operator-token"]) {
        const answer = yield* call("customer", "GET", "/health/ready", { token })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [200, { status: "ready" }])
      }
    })
  )

  it.effect("with one system that resets connections: degraded, and operators see which", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ service: "nova", method: "GET", path: "/**", times: "always", when: "before", as: "reset" })
      yield* looked
      assert.deepStrictEqual(yield* ready, {
        customer: { status: 200, body: { status: "degraded" } },
        operator: { status: 200, body: { status: "degraded", components: { ...all("ok"), compute: "down" } } }
      })
    })
  )

  it.effect("its failure's message is shown to operators alone, without a call to a system", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { call } = yield* TestGateway
      yield* cloud.clearCalls
      const { compute, network } = jsonOf(yield* call("operator", "GET", "/health/ready")).components
      assert.deepInclude(compute, {
        message: "nova probe: no answer: the connection failed or broke off",
        warnings: []
      })
      assert.match(compute.checked_at, /^\d{4}-/)
      assert.isNull(network.message)
      assert.deepStrictEqual(yield* cloud.calls, [])
    })
  )

  for (const [component, service] of beside) {
    it.effect(`with ${service} that resets connections: degraded, and operators see the ${component}`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* mended
        for (const method of ["GET", "POST"]) {
          yield* cloud.fault({ service, method, path: "/**", times: "always", when: "before", as: "reset" })
        }
        yield* looked
        assert.deepStrictEqual((yield* ready).operator.body, {
          status: "degraded",
          components: { ...all("ok"), [component]: "down" }
        })
      })
    )
  }

  it.effect("with systems that accept connections and stay silent: still answers soon", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* mended
      for (const service of systems) {
        for (const method of ["GET", "POST"]) {
          yield* cloud.fault({ service, method, path: "/**", times: "always", when: "before", as: "hang" })
        }
      }
      const { round } = yield* Components
      const before = yield* Clock.currentTimeMillis
      yield* inTime(round)
      // Thirteen systems, eight at a time, five seconds each.
      assert.isBelow((yield* Clock.currentTimeMillis) - before, 12_000)
      assert.strictEqual((yield* ready).operator.body.components["compute"], "degraded")
      yield* inTime(round)
      // While the clock stands still.
      assert.deepStrictEqual(yield* ready, degraded)
      yield* stillAlive
    })
  )
})

/** It looks at everything before it serves, which takes time. */
const nowhere = Layer.effectContext(
  inTime(
    Layer.build(
      TestGateway.layerOf(Effect.succeed(gatewaySettings("http://127.0.0.1:9"))).pipe(
        Layer.provideMerge(TestGateway.cloud)
      )
    )
  )
)

layer(nowhere)("with nothing behind it", (it) => {
  it.effect("serves, and reports that", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ready, degraded)
      yield* stillAlive
    })
  )
})

const lacking = { ...all("ok"), monitoring: none, billing: none, dns: none, "key-manager": none, kubernetes: none }

const bare = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({
    ...gatewaySettings(url),
    BILLING_URL: "",
    IAAS_DNS_URL: "",
    IAAS_KEY_MANAGER_URL: "",
    KUBERNETES_URL: "",
    MONITORING_URL: ""
  }))
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(bare)("with a cloud that lacks the optional systems", (it) => {
  it.effect("ready, and operators see the missing systems", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ready, {
        customer: { status: 200, body: { status: "ready" } },
        operator: { status: 200, body: { status: "ready", components: lacking } }
      })
    })
  )
})

/** A store that does not answer, once the gateway is up. */
const broken = { is: false }
const BrokenStore = Layer.effect(
  Tenants,
  Effect.map(Tenants, (tenants) =>
    Tenants.of({
      ...tenants,
      find: (id) => (broken.is ? Effect.die(new Error("the database is gone")) : tenants.find(id))
    })
  )
).pipe(Layer.provide(MemoryStore.layer))

it.effect("a failing database and repeatedly failing jobs are shown to operators alone", () =>
  Effect.gen(function* () {
    const states = Effect.map(readiness("operator"), ({ status, components }): Readonly<Record<string, string>> => ({
      status,
      ...statesIn({ components })
    }))
    const { round } = yield* Components
    assert.deepStrictEqual(yield* states, { status: "degraded", database: "unknown", background: "ok" })
    yield* round
    assert.deepStrictEqual(yield* states, { status: "ready", database: "ok", background: "ok" })
    const job = run("tidy", Effect.die("broken"))
    yield* Effect.repeat(job, { times: 1 })
    assert.deepInclude(yield* states, { status: "ready" })
    yield* job
    assert.deepStrictEqual(yield* states, { status: "degraded", database: "ok", background: "degraded" })
    assert.deepStrictEqual(yield* readiness("customer"), { status: "degraded" })
    yield* run("tidy", Effect.void)
    const apart = Effect.provide(states, Layer.fresh(JobCounts.layer), { local: true }).pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ BACKGROUND_JOBS: "elsewhere" })))
    )
    assert.deepStrictEqual(yield* apart, { status: "ready", database: "ok", background: "not configured" })
    broken.is = true
    yield* round
    yield* round
    assert.deepStrictEqual(yield* states, { status: "degraded", database: "down", background: "ok" })
    const { components = {} } = yield* readiness("operator")
    assert.strictEqual(components["database"]?.message, "postgresql read: the database is gone")
  }).pipe(
    Effect.provide(
      Components.layer.pipe(
        Layer.provideMerge(BrokenStore),
        Layer.provideMerge(JobCounts.layer),
        Layer.provide(Layer.succeed(Probes, { systems: [], absent: [], availability: () => undefined })),
        Layer.provide(Layer.sync(Metric.MetricRegistry, () => new Map()))
      )
    )
  )
)
