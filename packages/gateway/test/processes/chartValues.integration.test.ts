import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { parse } from "yaml"
import { table } from "../../src/settings/table.ts"
import { at, chart, helm, named, objectsIn, read, rendered, run, templated, withValues } from "./Chart.ts"

const isSecret = (name: string) =>
  /_(?:PASSWORD|SECRET|SECRET_KEY|TOKEN|PASSWORD_KEY)$/.test(name) ||
  ["DATABASE_URL", "REDIS_URL", "SMTP_URL"].includes(name)

const sorted = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value.toSorted() : [])

const open = Object.keys(table).filter((_) => !isSecret(_))

const configOf = (...options: ReadonlyArray<string>): unknown =>
  at(objectsIn(rendered(...options)).get("ConfigMap/portico"), "data")

const file = (name: string, mountPath: string) => ({ name, mountPath, secret: "authorities" })

/** Values that are refused, with the words that say so. */
const refused: ReadonlyArray<readonly [string, object, ...ReadonlyArray<string>]> = [
  [
    "an id that is not text",
    { settings: { ZITADEL_ORG_ID: 318475629 } },
    "/settings/ZITADEL_ORG_ID': value must be 'a text, in quotes'"
  ],
  [
    "a number with more digits than a float64 holds",
    { settings: { EVENT_STREAMS_TOTAL: 2 ** 53 } },
    "/settings/EVENT_STREAMS_TOTAL': value must be 'in quotes, because Helm rounds numbers above 9007199254740991'"
  ],
  ["a port that is not a number", { settings: { CUSTOMER_PORT: "abc" } }, "/settings/CUSTOMER_PORT", "'abc'"],
  ["a port that there is not", { settings: { OPERATOR_PORT: 65_536 } }, "/settings/OPERATOR_PORT", "65,536"],
  ["a port that there is not, as text", { settings: { AGENT_PORT: "65536" } }, "/settings/AGENT_PORT", "'65536'"],
  ["any free port, which no Service finds", { settings: { CUSTOMER_PORT: 0 } }, "/settings/CUSTOMER_PORT", "minimum"],
  ["no number of threads", { settings: { PORTICO_PROCESSES: "abc" } }, "/settings/PORTICO_PROCESSES", "'abc'"],
  ["too many threads", { settings: { PORTICO_PROCESSES: 65 } }, "/settings/PORTICO_PROCESSES", "maximum"],
  [
    "no share of the replicas",
    { podDisruptionBudget: { maxUnavailable: "abc" } },
    "/podDisruptionBudget/maxUnavailable",
    "'abc'"
  ],
  ["more than all", { podDisruptionBudget: { maxUnavailable: "101%" } }, "/podDisruptionBudget/maxUnavailable"],
  [
    "a least number of replicas above the greatest",
    { autoscaling: { enabled: true, minReplicas: 11 } },
    "autoscaling.minReplicas (11) is above autoscaling.maxReplicas (10)"
  ],
  [
    "a pod that is killed while it waits for load balancers",
    { preStopSeconds: 11 },
    "terminationGracePeriodSeconds (40) must be at least 30 above preStopSeconds (11)"
  ],
  ["two files of one name", { files: [file("ca", "/a"), file("ca", "/b")] }, "files has the name ca twice"],
  ["two files in one place", { files: [file("a", "/ca"), file("b", "/ca")] }, "files has the mountPath /ca twice"],
  [
    "a Prometheus that cannot reach the operator plane",
    { networkPolicy: { enabled: false }, monitoring: { enabled: true } },
    "monitoring.enabled needs networkPolicy.enabled, or OPERATOR_HOST among the settings",
    "loopback"
  ]
]

const taken: ReadonlyArray<object> = [
  { settings: { CUSTOMER_PORT: 65_535, OPERATOR_PORT: "1", AGENT_PORT: "65535", PORTICO_PROCESSES: "64" } },
  { podDisruptionBudget: { maxUnavailable: "100%" } },
  { podDisruptionBudget: { maxUnavailable: "1" } },
  { autoscaling: { enabled: true, minReplicas: 10 } },
  { preStopSeconds: 10 },
  { files: [file("a", "/a"), file("b", "/b")] },
  { networkPolicy: { enabled: false }, monitoring: { enabled: true }, settings: { OPERATOR_HOST: "0.0.0.0" } }
]

/** The way to every value. */
const paths = (values: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  Predicate.isObject(values) && !Array.isArray(values)
    ? Object.entries(values).flatMap(([name, value]) => [[name], ...paths(value).map((_) => [name, ..._])])
    : []

const nested = (path: ReadonlyArray<string>, value: unknown): unknown =>
  path.reduceRight<unknown>((within, name) => ({ [name]: within }), value)

describe("the chart's values", () => {
  const schema: unknown = JSON.parse(read(`${chart}/values.schema.json`))

  it("take every setting that is not a secret; secrets are referenced", () => {
    assert.deepStrictEqual(sorted(at(schema, "properties", "settings", "propertyNames", "enum")), open.toSorted())
  })

  it("are each in the schema, and vice versa", () => {
    const given: unknown = parse(read(`${chart}/values.yaml`))
    const known = Object.keys(at(schema, "properties") ?? {}).filter((_) => _ !== "global")
    assert.sameMembers(Object.keys(given ?? {}), known)
  })

  it("name their release", () => {
    assert.strictEqual(
      at(parse(read(`${chart}/Chart.yaml`)), "appVersion"),
      at(JSON.parse(read("package.json")), "version")
    )
  })

  helm(named("passes on every setting, and refuses a secret among them", "helm"), () => {
    const settings = Object.fromEntries(open.map((_) => [_, `value of ${_}`.replace(/.*_(?:PORT|PROCESSES)$/, "32")]))
    const config = objectsIn(rendered(...withValues({ settings }))).get("ConfigMap/portico")
    assert.deepInclude(at(config, "data"), settings)
    const refused = run("helm", "template", "x", chart, "--set", "settings.KEYSTONE_PASSWORD=hunter2")
    assert.notStrictEqual(refused.status, 0)
    assert.notInclude(refused.said, "hunter2")
  })

  helm(named("reach the gateway as written", "helm"), () => {
    const settings = {
      EVENT_STREAMS_TOTAL: 1_000_000,
      SELLABLE_RAM_GIB: Number.MAX_SAFE_INTEGER,
      DELIVERIES_SECONDS: 1_234_567.25,
      RATE_LIMIT: false,
      TENANT_MAP: '{"<a>": "1e+06"}',
      ZITADEL_ORG_ID: "318475629123456789"
    }
    const written = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, `${value}`]))
    assert.deepInclude(configOf(...withValues({ settings })), written)
    const options = Object.entries(settings).slice(0, 4)
    const set = configOf(...options.flatMap(([name, value]) => ["--set", `settings.${name}=${value}`]))
    assert.deepInclude(set, Object.fromEntries(options.map(([name]) => [name, written[name]])))
  })

  helm(named("keep other numbers as written too", "helm"), () => {
    const many = 1_234_567
    const all = objectsIn(
      rendered(
        ...withValues({
          replicaCount: many,
          terminationGracePeriodSeconds: many,
          podDisruptionBudget: { maxUnavailable: many },
          resources: { limits: { memory: 2_147_483_648 } },
          tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: many }]
        })
      )
    )
    const deployment = all.get("Deployment/portico")
    const pod = at(deployment, "spec", "template", "spec")
    assert.deepStrictEqual(
      [
        at(deployment, "spec", "replicas"),
        at(pod, "terminationGracePeriodSeconds"),
        at(pod, "tolerations", 0, "tolerationSeconds"),
        at(pod, "containers", 0, "resources", "limits", "memory"),
        at(all.get("PodDisruptionBudget/portico"), "spec", "maxUnavailable")
      ],
      [many, many, many, 2_147_483_648, many]
    )
  })

  for (const [title, values, ...words] of refused) {
    helm(named(`are refused: ${title}`, "helm"), () => {
      const { said, status } = templated(...withValues(values))
      assert.notStrictEqual(status, 0)
      for (const word of words) assert.include(said, word)
    })
  }

  helm(named("are accepted at their limits", "helm"), () => {
    for (const values of taken) assert.isNotEmpty(rendered(...withValues(values)))
  })

  helm(named("may each be null: it has a default, or is named as missing", "helm"), () => {
    for (const path of paths(parse(read(`${chart}/values.yaml`)))) {
      const { said, status } = templated(...withValues(nested(path, null)))
      if (status !== 0) assert.include(said, `missing property '${path.at(-1)}'`, path.join("."))
    }
    const empty = objectsIn(rendered(...withValues({ settings: null, tls: null })))
    assert.deepStrictEqual([...empty].toSorted(), [...objectsIn(rendered())].toSorted())
  })

  helm(named("with certificates make probes and Prometheus use TLS", "helm"), () => {
    const schemes = (values: object) => {
      const all = objectsIn(rendered(...withValues({ monitoring: { enabled: true }, ...values })))
      const pod = at(all.get("Deployment/portico"), "spec", "template", "spec", "containers", 0)
      const probes = ["startupProbe", "livenessProbe", "readinessProbe"].map((_) => at(pod, _, "httpGet", "scheme"))
      return [...new Set(probes), at(all.get("ServiceMonitor/portico"), "spec", "endpoints", 0, "scheme")]
    }
    const pair = (plane: string) => ({
      [`${plane}_TLS_CERT_FILE`]: "/etc/portico/own/tls.crt",
      [`${plane}_TLS_KEY_FILE`]: "/etc/portico/own/tls.key"
    })
    assert.deepStrictEqual(schemes({}), ["HTTP", undefined])
    assert.deepStrictEqual(schemes({ settings: pair("CUSTOMER") }), ["HTTPS", undefined])
    assert.deepStrictEqual(schemes({ settings: pair("OPERATOR") }), ["HTTP", "https"])
    assert.deepStrictEqual(schemes({ tls: { customer: "a", operator: "b" } }), ["HTTPS", "https"])
  })
})
