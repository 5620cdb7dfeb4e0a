import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import * as Upstream from "@portico/upstream/prometheus/Prometheus"
import { ConfigProvider, Context, Effect, Layer, Predicate } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { freePort } from "../limits/redis.ts"
import { serverIn } from "../monitoring/instances.ts"
import { eventually, repository } from "../processes/children.ts"
import { textOf } from "../processes/Document.ts"
import { answers, folder, isInstalled, named, serving } from "./parts.ts"

const isHere = isInstalled("prometheus", "--version")
const read = (path: string) => readFileSync(join(repository, path), "utf8")

/** A Prometheus on a port with this configuration, and files beside it. */
const prometheusOn = Effect.fnUntraced(function* (
  port: number,
  files: Readonly<Record<string, unknown>>,
  ...flags: ReadonlyArray<string>
) {
  const { at, path, write } = yield* folder
  for (const [name, content] of Object.entries(files)) write(name, JSON.stringify(content))
  const url = `http://127.0.0.1:${port}`
  const child = yield* serving(
    [
      "prometheus",
      `--config.file=${at("prometheus.yml")}`,
      `--storage.tsdb.path=${at("data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
      ...flags
    ],
    () => answers(`${url}/-/ready`, 200, 401),
    { cwd: path }
  )
  return { child, url }
})

const ask = (url: string, path: string, query: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const form = Object.keys(query).length === 0 ? {} : { method: "POST", body: new URLSearchParams(query) }
    const answer = await fetch(`${url}/api/v1/${path}`, form)
    return JSON.parse(await answer.text())
  })

/** What stands in for hypervisors: an instance that keeps its two processors busy for 95 percent of the time. */
const exporter = (instance: string, project: string) =>
  Effect.gen(function* () {
    const started = performance.now()
    const server = createServer(({ url }, response) => {
      if (url === "/probe") return response.end("probe_success 1\n")
      if (url === "/node") return response.end("node_boot_time_seconds 1\n")
      const seconds = (performance.now() - started) / 1000
      const domain = 'domain="instance-00000001"'
      return response.end(
        [
          `libvirt_domain_openstack_info{${domain},instance_id="${instance}",project_id="${project}"} 1`,
          `libvirt_domain_info_virtual_cpus{${domain}} 2`,
          `libvirt_domain_info_cpu_time_seconds_total{${domain}} ${seconds * 2 * 0.95}`,
          `libvirt_domain_memory_stats_used_percent{${domain}} 40`,
          ...["vda", "vdb"].flatMap((disk) => [
            `libvirt_domain_block_stats_read_bytes_total{${domain},target_device="${disk}"} ${seconds * 1000}`,
            `libvirt_domain_block_stats_write_bytes_total{${domain},target_device="${disk}"} ${seconds * 2000}`
          ]),
          `libvirt_domain_interface_stats_receive_bytes_total{${domain},target_device="tap1"} ${seconds * 3000}`,
          `libvirt_domain_interface_stats_transmit_bytes_total{${domain},target_device="tap1"} ${seconds * 4000}`,
          ""
        ].join("\n")
      )
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  })

/** Where the Prometheus will be that the gateway reads, and that reads the gateway. */
class Place extends Context.Service<Place, number>()("portico/gateway/test/parts/PrometheusPort") {
  static readonly layer = Layer.effect(Place, freePort)
}

const Gateway = Cast.made.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.gen(function* () {
        return {
          ...gatewaySettings((yield* Server).url),
          MONITORING_URL: `http://127.0.0.1:${yield* Place}`,
          PROBE_SECONDS: "1",
          ALARMS_SECONDS: "1",
          ALARM_INTERVAL_SECONDS: "1"
        }
      })
    )
  ),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provideMerge(Place.layer)
)

const instance = "00000000-0000-4000-8000-00000000acfe"

/** The files of the documents and of the repository, as they are but for addresses and times. */
class Measuring extends Context.Service<Measuring, { readonly url: string; readonly gone: string }>()(
  "portico/gateway/test/parts/Measuring"
) {
  static readonly layer = Layer.effect(
    Measuring,
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const hypervisor = yield* exporter(instance, acme.projectId)
      const gone = `127.0.0.1:${yield* freePort}`

      const configuration = parse(read("docker/prometheus/prometheus.yml"))
      assert.deepStrictEqual(configuration.rule_files, ["alerts.yaml"])
      const [portico] = configuration.scrape_configs
      portico.static_configs = [{ targets: [new URL(url.operator).host, gone] }]
      const alerts = parse(read("docker/prometheus/alerts.yaml"))
      for (const group of alerts.groups) for (const rule of group.rules) if ("for" in rule) rule.for = "1s"

      const [, recorded = ""] = /^```yaml\n([^]*?)^```$/m.exec(textOf("docs/operators/monitoring.md")) ?? []
      const recording = parse(recorded.replaceAll("[2m]", "[5s]"))
      for (const group of recording.groups) group.interval = "1s"

      const prometheus = yield* prometheusOn(yield* Place, {
        "prometheus.yml": {
          global: { scrape_interval: "1s", evaluation_interval: "1s" },
          rule_files: ["alerts.yaml", "recording.yaml"],
          scrape_configs: [
            portico,
            { job_name: "libvirt", static_configs: [{ targets: [hypervisor] }] },
            { job_name: "node", metrics_path: "/node", static_configs: [{ targets: [hypervisor] }] },
            {
              job_name: "services",
              metrics_path: "/probe",
              static_configs: [{ targets: [hypervisor], labels: { service: "compute" } }]
            }
          ]
        },
        "alerts.yaml": alerts,
        "recording.yaml": recording
      })
      return Measuring.of({ url: prometheus.url, gone })
    })
  )
}

const alerts = Effect.gen(function* () {
  const { data } = yield* ask((yield* Measuring).url, "alerts")
  return new Map<string, unknown>(
    data.alerts
      .filter((_: { state: string }) => _.state === "firing")
      .map(({ labels }: { labels: Readonly<Record<string, string>> }) => [labels["alertname"] ?? "", labels])
  )
})

/** Rules that cannot be evaluated, with the reason. */
const sickRules = Effect.gen(function* () {
  const { data } = yield* ask((yield* Measuring).url, "rules")
  return data.groups
    .flatMap((_: { rules: ReadonlyArray<unknown> }) => _.rules)
    .filter((_: { health: string }) => _.health !== "ok")
})

if (!isHere) it.skip(named("stories of a real Prometheus", "prometheus", isHere), () => {})
else {
  layer(Measuring.layer.pipe(Layer.provideMerge(Gateway)), { excludeTestServices: true })("a real Prometheus", (it) => {
    it.effect("scrapes both planes of a gateway, loads every rule, and knows every query of the dashboard", () =>
      Effect.gen(function* () {
        const { url } = yield* Measuring
        const query = (expression: string) => ask(url, "query", { query: expression })
        const planes = yield* eventually(
          Effect.gen(function* () {
            const { data } = yield* query("sum by (plane) (portico_http_requests_total) > 0")
            const found: ReadonlyArray<string> = data.result.map((_: { metric: { plane: string } }) => _.metric.plane)
            return yield* found.length < 2 ? Effect.fail(found) : Effect.succeed(found)
          })
        )
        assert.includeMembers([...planes], ["customer", "operator"])

        const { data } = yield* eventually(
          Effect.flatMap(ask(url, "rules"), (_) =>
            JSON.stringify(_).includes('"health":"unknown"') ? Effect.fail("not evaluated") : Effect.succeed(_)
          )
        )
        const rules = data.groups.flatMap((_: { rules: ReadonlyArray<unknown> }) => _.rules)
        const names = parse(read("docker/prometheus/alerts.yaml")).groups.flatMap(
          (_: { rules: ReadonlyArray<{ alert: string }> }) => _.rules.map((rule) => rule.alert)
        )
        assert.includeMembers(
          rules.map((_: { name: string }) => _.name),
          names
        )
        assert.deepStrictEqual(yield* sickRules, [])

        const expressions = [...read("docker/grafana/portico.json").matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
          ([, text = ""]) => String(JSON.parse(text)).replaceAll("$__rate_interval", "1m")
        )
        assert.isAbove(expressions.length, 20)
        for (const expression of expressions) assert.strictEqual((yield* query(expression)).status, "success")
      })
    )

    it.effect("raises an alert for a missing replica and a failing system, and resolves it", () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        const { gone } = yield* Measuring
        const fault = { service: "nova", method: "GET", path: "/**", times: "always", when: "before" } as const
        const raised = (name: string, is: boolean) =>
          eventually(
            Effect.flatMap(alerts, (found) =>
              found.has(name) === is ? Effect.succeed(found.get(name)) : Effect.fail([...found.keys()])
            )
          )
        // Before the first scrapes there is no replica at all, which is the same alert without an instance.
        yield* eventually(
          Effect.flatMap(raised("PorticoGone", true), (_) =>
            Predicate.hasProperty(_, "instance") ? Effect.void : Effect.fail(_)
          )
        )
        assert.deepInclude(yield* raised("PorticoGone", true), { job: "portico", instance: gone, severity: "critical" })
        assert.isFalse((yield* alerts).has("PorticoComponentDown"))
        yield* cloud.fault({ ...fault, as: { status: 503 } })
        assert.deepInclude(yield* raised("PorticoComponentDown", true), { component: "compute", severity: "critical" })
        yield* cloud.clearFaults
        yield* raised("PorticoComponentDown", false)
      })
    )

    it.effect("measures an instance by the documented rules: its tenant reads all six, and has an alarm", () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        yield* serverIn(yield* SimulatedCloud, acme.projectId, instance)
        const get = (path: string) => Effect.map(call("customer", "GET", path, { token: acme.tokens[0] }), jsonOf)
        const reads = (metric: string, expected: number) =>
          eventually(
            Effect.flatMap(get(`/v1/metrics/instances/${instance}/history?metric=${metric}&step=15`), ({ points }) =>
              Math.abs(points.at(-1).value - expected) > expected / 5
                ? Effect.fail(new Error(`${metric}: ${points.at(-1).value}`))
                : Effect.void
            )
          )
        for (const [metric, expected] of [
          ["cpu", 95],
          ["memory", 40],
          ["disk_read", 2000],
          ["disk_write", 4000],
          ["network_in", 3000],
          ["network_out", 4000]
        ] as const) {
          yield* reads(metric, expected)
        }

        assert.deepStrictEqual(yield* sickRules, [])

        const rule = { metric: "cpu", instance_id: instance, comparison: "gt", threshold: 60 }
        const made = yield* call("customer", "POST", "/v1/alarms", {
          token: acme.tokens[1],
          body: { name: "hot", rule }
        })
        const path = `/v1/alarms/${jsonOf(made).alarm_id}`
        yield* eventually(
          Effect.flatMap(get(path), ({ state }) => (state === "alarm" ? Effect.void : Effect.fail(state)))
        )

        const overview = jsonOf(yield* call("operator", "GET", "/v1/monitoring/overview", { token: operator }))
        assert.deepInclude(overview.nodes, { total: 1 })
      })
    )
  })

  describe("a Prometheus that cannot be queried", () => {
    /** What the gateway's client makes of an expression. */
    const failureOf = (url: string, expression: string) =>
      Effect.gen(function* () {
        const { api } = yield* Upstream.Prometheus
        if (api === undefined) return yield* Effect.die("there is none")
        const { detail, status, transient } = yield* Effect.flip(api.query("look", expression))
        return { status, detail, transient }
      }).pipe(
        Effect.provide(Upstream.Prometheus.layer),
        Effect.provide(NodeHttpClient.layerUndici),
        Effect.provide(
          ConfigProvider.layer(ConfigProvider.fromUnknown({ MONITORING_URL: url, MONITORING_TOKEN: "a-token" }))
        )
      )

    const sick = Effect.fnUntraced(function* (
      files: Readonly<Record<string, unknown>>,
      ...flags: ReadonlyArray<string>
    ) {
      return yield* prometheusOn(yield* freePort, { "prometheus.yml": {}, ...files }, ...flags)
    })

    it.live("gives the reason, and whether the query may succeed later", () =>
      Effect.gen(function* () {
        // The hash is of no password that is used anywhere.
        const users = { admin: "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW" }
        const [locked, small, hasty] = yield* Effect.all(
          [
            sick({ "web.yml": { basic_auth_users: users } }, "--web.config.file=web.yml"),
            sick({}, "--query.max-samples=1"),
            sick({}, "--query.timeout=1ms")
          ],
          { concurrency: "unbounded" }
        )
        const long = "count_over_time(vector(time())[1d:1s])"
        assert.deepStrictEqual(yield* failureOf(locked.url, "up"), {
          status: 401,
          detail: "Unauthorized",
          transient: false
        })
        assert.deepStrictEqual(yield* failureOf(small.url, long), {
          status: 422,
          detail: "query processing would load too many samples into memory in query execution",
          transient: false
        })
        const late = yield* failureOf(hasty.url, long)
        assert.deepStrictEqual([late.status, late.transient], [503, true])
        assert.match(late.detail, /^query timed out in /)
        yield* small.child.signal("SIGSTOP")
        // The three times ten seconds pass at once.
        const silent = yield* Effect.provide(inTime(failureOf(small.url, "up")), TestClock.layer())
        assert.deepStrictEqual(silent, {
          status: null,
          detail: "no answer within 10s",
          transient: true
        })
      })
    )
  })
}
