import { assert, layer } from "@effect/vitest"
import { Components } from "@portico/domain/health/Components"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { inTime, pass, repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Cast, operator } from "../harness/Cast.ts"
import { serverIn } from "./instances.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"

const settings = Effect.map(Server, ({ url }) => gatewaySettings(url))

/** Nothing is measured before 1970, and what is measured begins some time before now. */
const afterAYear = Layer.effectDiscard(TestClock.setTime(365 * 86_400_000))

/** A gateway that looks at its alarms every second. */
const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(Effect.map(settings, (_) => ({ ..._, ALARMS_SECONDS: "1", ALARM_INTERVAL_SECONDS: "1" })))
  ),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provide(afterAYear)
)

const Blind = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(settings, (_) => ({ ..._, MONITORING_URL: "" })))),
  Layer.provideMerge(TestGateway.cloud)
)

const call = Effect.fnUntraced(function* (plane: Plane, method: string, path: string, token: string, body?: unknown) {
  return yield* (yield* TestGateway).call(plane, method, path, { token, body })
})

const mine = "00000000-0000-4000-8000-00000000acfe"
const theirs = "00000000-0000-4000-8000-00000000910b"

const servers = Effect.gen(function* () {
  const { acme, globex } = yield* Cast
  const cloud = yield* SimulatedCloud
  yield* serverIn(cloud, acme.projectId, mine)
  yield* serverIn(cloud, globex.projectId, theirs)
})

const unreadable = Effect.gen(function* () {
  const fault = { service: "prometheus", method: "POST", path: "/**", times: "always", when: "before" } as const
  yield* (yield* SimulatedCloud).fault({ ...fault, as: { status: 503, body: { status: "error", error: "too busy" } } })
})

layer(Everything)("the status", (it) => {
  it.effect("is shown to every credential, and only operators see the probes", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      for (const [plane, token] of [
        ["customer", acme.tokens[0]],
        ["customer", operator],
        ["operator", acme.tokens[0]],
        ["operator", operator]
      ] as const) {
        const answer = yield* call(plane, "GET", "/v1/status", token)
        assert.strictEqual(answer.status, 200)
        const { generated_at, overall, services, ...rest } = jsonOf(answer)
        assert.deepStrictEqual([overall, rest], ["ok", { incidents: [], maintenance: [] }])
        assert.match(generated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.lengthOf(services, 9)
        for (const row of services) {
          const keys = plane === "operator" ? ["service", "status", "detail", "probe"] : ["service", "status", "detail"]
          assert.sameMembers(Object.keys(row), keys)
        }
      }
      assert.strictEqual((yield* call("customer", "GET", "/v1/status", "garbage")).status, 401)
    })
  )

  it.effect("has the operators' incidents, with and without a body, and the customer plane has no route for them", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call: send } = yield* TestGateway
      const bare = yield* send("operator", "POST", "/v1/status/incidents", { token: operator })
      assert.strictEqual(bare.status, 201, bare.text)
      const made = jsonOf(yield* call("operator", "POST", "/v1/status/incidents", operator, { services: ["compute"] }))
      const { incidents, services } = jsonOf(yield* call("customer", "GET", "/v1/status", acme.tokens[0]))
      assert.lengthOf(incidents, 2)
      assert.notProperty(incidents[0], "created_by")
      assert.strictEqual(services[0].status, "degraded")
      const path = `/v1/status/incidents/${made.incident_id}`
      const elsewhere = yield* call("customer", "DELETE", path, operator)
      assert.deepStrictEqual([elsewhere.status, jsonOf(elsewhere).code], [404, "not_found"])
      assert.strictEqual((yield* call("operator", "DELETE", path, operator)).status, 200)
      assert.strictEqual((yield* call("operator", "DELETE", path, operator)).status, 404)
      const { incident_id } = jsonOf(bare)
      yield* call("operator", "DELETE", `/v1/status/incidents/${incident_id}`, operator)
      assert.deepStrictEqual(jsonOf(yield* call("customer", "GET", "/v1/status", acme.tokens[0])).incidents, [])
    })
  )

  it.effect("another tenant's instance, an unknown and a malformed id have the same bytes, on both planes", () =>
    Effect.gen(function* () {
      yield* servers
      const { acme } = yield* Cast
      const own = yield* call("customer", "GET", `/v1/metrics/instances/${mine}/history`, acme.tokens[0])
      assert.strictEqual(own.status, 200, own.text)
      assert.isNotNull(jsonOf(own).points.at(-1).value)
      for (const plane of ["customer", "operator"] as const) {
        for (const id of [theirs, "00000000-0000-4000-8000-00000000ffff", "x", "%22%7D%20or%20up"]) {
          const answer = yield* call(plane, "GET", `/v1/metrics/instances/${id}/history`, acme.tokens[0])
          const detail = `Instance '${decodeURIComponent(id)}' not found`
          assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, { detail, code: "instance_not_found" }])
        }
      }
    })
  )

  it.effect("a tenant's alarm changes state, and is published once", () =>
    Effect.gen(function* () {
      yield* servers
      const { acme } = yield* Cast
      const { world } = yield* SimulatedCloud
      const { events } = yield* Memory
      const metric = "portico:instance_cpu:percent"
      world.monitoring.readings["hot"] = { metric, labels: { instance_id: mine }, value: 99 }
      const rule = { metric: "cpu", instance_id: mine, comparison: "gt", threshold: 90 }
      const body = { name: "hot", rule }
      const made = jsonOf(yield* call("customer", "POST", "/v1/alarms", acme.tokens[1], body))
      assert.deepInclude(made, { state: "insufficient_data", enabled: true, severity: "low" })
      const path = `/v1/alarms/${made.alarm_id}`
      const state = Effect.map(call("customer", "GET", path, acme.tokens[0]), (_) => jsonOf(_).state)
      yield* repeatInTime(state, (_) => _ === "alarm")
      yield* pass(60)
      const told = [...events.values()].filter((_) => _.topic === "alarms")
      assert.lengthOf(told, 1)
      assert.deepInclude(told[0]?.envelope["data"], { previous: "insufficient_data", current: "alarm" })
      const listed = jsonOf(yield* call("customer", "GET", "/v1/alarms?state=alarm", acme.tokens[0]))
      assert.strictEqual(listed.count, 1)
      assert.strictEqual((yield* call("customer", "DELETE", path, acme.tokens[2])).status, 200)
      assert.strictEqual((yield* call("customer", "GET", path, acme.tokens[0])).status, 404)
    })
  )
})

layer(Everything)("a monitoring that cannot be read", (it) => {
  it.effect("is a 502 with its message, and the status still answers", () =>
    Effect.gen(function* () {
      yield* servers
      yield* unreadable
      const { acme } = yield* Cast
      yield* inTime((yield* Components).round)
      const status = yield* call("customer", "GET", "/v1/status", acme.tokens[0])
      assert.deepStrictEqual([status.status, jsonOf(status).overall], [200, "degraded"])
      assert.notInclude(status.text, "too busy")
      const asked = [
        ["customer", `/v1/metrics/instances/${mine}/history`, acme.tokens[0], "read history"],
        ["operator", "/v1/monitoring/overview", operator, "read instances|read nodes|count instances"],
        ["operator", "/v1/monitoring/fleet", operator, "read nodes|read tenants|count instances"],
        ["operator", "/v1/capacity", operator, "read storage"]
      ] as const
      for (const [plane, path, token, words] of asked) {
        const answer = yield* inTime(call(plane, "GET", path, token))
        assert.strictEqual(answer.status, 502, path)
        const { code, detail, transient } = jsonOf(answer)
        assert.deepStrictEqual([code, transient], ["upstream_failed", true])
        assert.match(detail, new RegExp(`^monitoring (${words}): too busy$`))
      }
    })
  )
})

layer(Everything)("an upstream that fails", (it) => {
  const upstreams = Effect.map(call("operator", "GET", "/v1/monitoring/upstreams", operator), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return { text: answer.text, body: jsonOf(answer) }
  })
  const row = (name: string) =>
    Effect.map(upstreams, ({ body }) => body.upstreams.find((_: { upstream: string }) => _.upstream === name))

  it.effect("is shown to operators with its state and calls, without its answers", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ service: "nova", method: "GET", path: "/**", when: "before", as: { delay_ms: 20 } })
      yield* inTime(call("customer", "GET", "/v1/quotas", acme.tokens[0]), "5 millis")
      const { body } = yield* upstreams
      const names = [
        "billing",
        "cinder",
        "keystone",
        "kubernetes",
        "monitoring",
        "nova",
        "postgresql",
        "rgw",
        "zitadel"
      ]
      assert.includeMembers(
        body.upstreams.map((_: { upstream: string }) => _.upstream),
        names
      )
      assert.strictEqual(body.window_seconds, 300)
      const before = yield* row("nova")
      assert.deepInclude(before, { component: "compute", state: "ok", message: null, failed: 0, last_failure: null })
      assert.match(before.since, /^\d{4}-/)
      assert.isAbove(before.calls, 0)
      assert.isAbove(before.p95_ms, 0)
      assert.isAtLeast(before.p95_ms, before.p50_ms)
      // Its calls are not measured here.
      assert.deepInclude(yield* row("postgresql"), { component: "database", state: "ok", calls: 0, p50_ms: null })

      const fault = { service: "nova", method: "GET", path: "/**", times: "always", when: "before" } as const
      const said = { status: 500, body: { computeFault: { message: "token hunter2", code: 500 } } }
      yield* cloud.fault({ ...fault, as: said })
      yield* call("customer", "GET", "/v1/iaas/compute/servers", acme.tokens[0])
      const { text } = yield* upstreams
      assert.notInclude(text, "hunter2")
      const after = yield* row("nova")
      assert.deepInclude(after, { state: "ok", since: before.since, failed: 1 })
      assert.deepInclude(after.last_failure, { call: "GET", status: 500 })
      assert.isAbove(after.failed_percent, 0)

      yield* TestClock.adjust("1 second")
      yield* inTime((yield* Components).round)
      yield* inTime((yield* Components).round)
      const down = yield* row("nova")
      assert.strictEqual(down.state, "down")
      assert.isTrue(down.since > before.since)
      const ready = jsonOf(yield* (yield* TestGateway).call("operator", "GET", "/health/ready"))
      assert.strictEqual(ready.components.compute.since, down.since)
    })
  )

  it.effect("is hidden from tenants, and the customer plane has no such route", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const path = "/v1/monitoring/upstreams"
      assert.strictEqual((yield* call("operator", "GET", path, acme.tokens[2])).status, 403)
      assert.strictEqual((yield* call("operator", "GET", path, "garbage")).status, 401)
      assert.strictEqual((yield* call("customer", "GET", path, operator)).status, 404)
    })
  )
})

layer(Blind)("a cloud without monitoring", (it) => {
  it.effect("has a status and a capacity, and a 404 where monitoring is needed", () =>
    Effect.gen(function* () {
      yield* servers
      const { acme } = yield* Cast
      assert.strictEqual(jsonOf(yield* call("customer", "GET", "/v1/status", acme.tokens[0])).overall, "ok")
      const capacity = jsonOf(yield* call("operator", "GET", "/v1/capacity", operator))
      assert.isNull(capacity.physical.storage_bytes)
      const rule = { metric: "cpu", instance_id: mine, comparison: "gt", threshold: 90 }
      const none = [
        yield* call("customer", "GET", `/v1/metrics/instances/${mine}/history`, acme.tokens[0]),
        yield* call("customer", "POST", "/v1/alarms", acme.tokens[1], { name: "hot", rule }),
        yield* call("operator", "GET", "/v1/monitoring/overview", operator),
        yield* call("operator", "GET", "/v1/monitoring/fleet", operator)
      ]
      for (const answer of none) {
        const body = { detail: "No platform service at 'monitoring'", code: "service_not_found" }
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, body])
      }
    })
  )
})
