import { gatewaySettings } from "@portico/simulator/settings"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { Cast } from "../harness/Cast.ts"
import { metrics } from "../observability/exposition.ts"
import { repository } from "./children.ts"
import { textOf } from "./Document.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const file = (name: string): string => readFileSync(join(repository, "docker", name), "utf8")

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      rules: Schema.Array(
        Schema.Struct({
          alert: Schema.String,
          expr: Schema.String,
          for: Schema.optionalKey(Schema.String),
          labels: Schema.Struct({ severity: Schema.Literals(["warning", "critical"]) }),
          annotations: Schema.Struct({ summary: Schema.String })
        })
      )
    })
  )
})

const Dashboard = Schema.fromJsonString(
  Schema.Struct({
    title: Schema.String,
    panels: Schema.Array(
      Schema.Struct({ title: Schema.String, targets: Schema.Array(Schema.Struct({ expr: Schema.String })) })
    )
  })
)

const Compose = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({
      image: Schema.optionalKey(Schema.String),
      environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
      healthcheck: Schema.optionalKey(Schema.Struct({ test: Schema.Array(Schema.String) })),
      volumes: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
})

const rules = Schema.decodeUnknownSync(Rules)(parse(file("prometheus/alerts.yaml"))).groups.flatMap((_) => _.rules)
const panels = Schema.decodeUnknownSync(Dashboard)(file("grafana/portico.json")).panels
const levels = textOf("docs/operators/service-levels.md").matchAll(/^```promql\n(.*?)^```$/gms)
const expressions = [
  ...[...levels].map(([, query = ""]) => ["a service level", query] as const),
  ...rules.map((_) => [_.alert, _.expr] as const),
  ...panels.flatMap(({ targets, title }) => targets.map((_) => [title, _.expr] as const))
]

/** What an expression asks of the gateway, with the labels that it names. */
const named = (expression: string) =>
  [...expression.matchAll(/\b((?:portico|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", matchers = ""]) => ({
      name,
      labels: [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map((_) => _[1] ?? "")
    })
  )

/** What the gateway exports after a proxied call, with what it exports only beside Kafka and with jobs that run. */
const exported = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  yield* call("customer", "GET", "/v1/iaas/compute/servers", { token: acme.tokens[0] })
  yield* Effect.sleep("50 millis")
  return [...(yield* metrics), ...jobSeries, ...busSeries]
})

const base = (name: string) => name.replace(/_(bucket|sum|count)$/, "")

/** Operators' pages that name metrics. */
const pages = ["bus.md", "limits.md", "observability.md", "runbooks.md", "service-levels.md"]

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "alert rules, dashboard and pages",
  (it) => {
    it.effect("use only exported metrics, and all of the gateway's own", () =>
      Effect.gen(function* () {
        const told = yield* exported
        for (const [where, expression] of expressions) {
          assert.isAbove(named(expression).length + (/\bup\{/.test(expression) ? 1 : 0), 0, where)
          for (const { labels, name } of named(expression)) {
            const sample = told.find((_) => _.name === name)
            assert.isDefined(sample, `${where}: ${name}`)
            for (const label of labels) assert.property(sample?.labels, label, `${where}: ${name}`)
          }
        }
        const asked = new Set(expressions.flatMap(([, _]) => named(_).map((_) => _.name)))
        const bases = new Set([...asked].map(base))
        for (const { name } of told.filter((_) => _.name.startsWith("portico_")))
          assert.isTrue(bases.has(base(name)), name)
      })
    )

    it.effect("have no metric in operators' pages that the gateway does not export", () =>
      Effect.gen(function* () {
        const names = new Set((yield* exported).flatMap((_) => [_.name, base(_.name)]))
        for (const page of pages) {
          const mentioned = new Set(textOf(`docs/operators/${page}`).match(/\b(?:portico|process|nodejs)_[a-z0-9_]+/g))
          assert.isNotEmpty(mentioned, page)
          // `portico_bus_*` stands for several.
          const unknown = [...mentioned].filter((name) =>
            name.endsWith("_") ? ![...names].some((_) => _.startsWith(name)) : !names.has(name)
          )
          assert.deepStrictEqual(unknown, [], page)
        }
      })
    )
  }
)

/** The jobs of a test never run; what they tell is what one that runs does. */
const jobSeries = [
  "portico_job_runs_total",
  "portico_job_failures_total",
  "portico_job_duration_seconds_sum",
  "portico_job_last_success_timestamp_seconds"
].map((name) => ({ name, labels: { task: "any" }, value: 0 }))

/** A test has no Kafka. */
const busSeries = [
  ...["sent_total", "failures_total", "reduced_total", "waiting", "lag_seconds"].map(
    (_) => [_, { topic: "any" }] as const
  ),
  ["received_total", { outcome: "any" }] as const
].map(([name, labels]) => ({ name: `portico_bus_${name}`, labels, value: 0 }))

describe("compose.yaml", () => {
  const { services } = Schema.decodeUnknownSync(Compose)(parse(file("compose.yaml")))
  const settings = services["gateway"]?.environment ?? {}
  const listed = file("env.example").matchAll(/^(#?)([A-Z][A-Z0-9_]*)=/gm)
  const known = new Map([...listed].map(([, off, name = ""]) => [name, off === ""] as const))

  it("gives the gateway every required setting, and no unknown one", () => {
    for (const name of Object.keys(settings)) assert.isTrue(known.has(name), name)
    for (const [name, required] of known) if (required) assert.property(settings, name)
  })

  it("has the simulated cloud's settings unchanged", () => {
    const own = gatewaySettings("http://cloud:8090")
    for (const [name, value] of Object.entries(settings)) if (name in own) assert.strictEqual(value, own[name], name)
  })

  it("runs pinned images, and has health checks for the gateway's own parts", () => {
    for (const [name, { image }] of Object.entries(services)) {
      if (name !== "gateway") assert.match(image ?? "", /:v?\d[\w.-]*$/, name)
    }
    for (const name of ["postgres", "kafka", "redis", "cloud"]) assert.property(services[name], "healthcheck", name)
    // The image's own holds.
    assert.match(file("Dockerfile"), /^HEALTHCHECK /m)
    assert.notProperty(services["gateway"], "healthcheck")
  })

  it("runs the release of Kafka that the stories run", () => {
    const release = / kafka_[\d.]+-([\d.]+)\.jar$/m.exec(textOf("scripts/parts/kafka/jars.sha256"))?.[1]
    assert.strictEqual(services["kafka"]?.image, `apache/kafka:${release}`)
  })

  it("sends the gateway to existing services", () => {
    const hosts = Object.entries(settings).flatMap(([name, value]) => {
      const host = /^(?:[a-z]+:\/\/(?:[^@/]*@)?)?([a-z]+):\d+(?:[/,]|$)/.exec(value)?.[1]
      return host === undefined ? [] : [[name, host] as const]
    })
    assert.includeDeepMembers(hosts, [
      ["DATABASE_URL", "postgres"],
      ["KAFKA_BROKERS", "kafka"],
      ["REDIS_URL", "redis"]
    ])
    for (const [name, host] of hosts) assert.property(services, host, name)
  })

  it("asks for no more replicas in Kafka than there are brokers", () => {
    assert.strictEqual(settings["KAFKA_REPLICATION"], `${settings["KAFKA_BROKERS"]?.split(",").length}`)
  })

  it("gives Grafana a Prometheus and the dashboard, at its paths", () => {
    const grafana = services["grafana"]
    const mounts = new Map(
      (grafana?.volumes ?? []).map((_) => {
        const [from = "", to = ""] = _.split(":")
        return [to, from.replace(/^\.\//, "")] as const
      })
    )
    const folder = mounts.get("/etc/grafana/provisioning")
    const Sources = Schema.Struct({
      datasources: Schema.Array(Schema.Struct({ type: Schema.String, url: Schema.String }))
    })
    const { datasources } = Schema.decodeUnknownSync(Sources)(parse(file(`${folder}/datasources/prometheus.yaml`)))
    assert.deepStrictEqual(
      datasources.map(({ type, url }) => [type, new URL(url).hostname in services]),
      [["prometheus", true]]
    )
    const Providers = Schema.Struct({
      providers: Schema.Array(Schema.Struct({ options: Schema.Struct({ path: Schema.String }) }))
    })
    const [provider] = Schema.decodeUnknownSync(Providers)(parse(file(`${folder}/dashboards/portico.yaml`))).providers
    const home = grafana?.environment?.["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] ?? ""
    assert.strictEqual(join(home, ".."), provider?.options.path)
    assert.strictEqual(file(mounts.get(home) ?? ""), file("grafana/portico.json"))
  })

  it("gives Prometheus existing targets", () => {
    const { rule_files } = Schema.decodeUnknownSync(Schema.Struct({ rule_files: Schema.Array(Schema.String) }))(
      parse(file("prometheus/prometheus.yml"))
    )
    for (const name of rule_files) assert.isAbove(file(`prometheus/${name}`).length, 0)
  })
})
