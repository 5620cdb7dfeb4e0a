import { assert, describe, it } from "@effect/vitest"
import { clusterRules } from "@portico/upstream/rights/kubernetes"
import { Predicate, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse, parseAllDocuments } from "yaml"
import { table } from "../../src/settings/table.ts"
import { repository } from "./children.ts"

const chart = "deploy/helm/portico"
const kubernetes = "1.34.0"

const read = (path: string) => readFileSync(join(repository, path), "utf8")

const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.hasProperty(_, key) ? _[key] : undefined), value)

const Kept = Schema.Struct({
  kind: Schema.String,
  metadata: Schema.Struct({ name: Schema.String })
})

const isInstalled = (program: string) => spawnSync(program, ["version"]).error === undefined

const run = (program: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd: repository, encoding: "utf8" })
  return { status, stdout, said: `${stdout}${stderr}` }
}

/** The objects of a text, by kind and name. */
const objectsIn = (text: string): ReadonlyMap<string, unknown> =>
  new Map(
    parseAllDocuments(text)
      .map((_): unknown => _.toJS())
      .filter(Schema.is(Kept))
      .map((_) => [`${_.kind}/${_.metadata.name}`, _] as const)
  )

const rendered = (...options: ReadonlyArray<string>) => {
  const args = ["template", "portico", chart, "-n", "portico", "--kube-version", kubernetes, ...options]
  const { said, status, stdout } = run("helm", ...args)
  assert.strictEqual(status, 0, said)
  return stdout
}

/** Values with every part switched on. */
const everything = {
  cluster: { enabled: true },
  monitoring: { enabled: true, runbookBase: "https://docs.example/operators/" },
  autoscaling: { enabled: true },
  tls: { customer: "api-tls", operator: "ops-tls", agent: "agents-tls" },
  files: [{ name: "ca", mountPath: "/etc/portico/ca", secret: "authorities" }],
  existingSecrets: ["portico"],
  imagePullSecrets: [{ name: "registry" }],
  networkPolicy: { operators: [{ namespaceSelector: {} }], customers: [{ podSelector: {} }] }
}

const withValues = (values: unknown): ReadonlyArray<string> => {
  const file = join(mkdtempSync(join(tmpdir(), "portico-chart-")), "values.yaml")
  writeFileSync(file, JSON.stringify(values))
  return ["-f", file]
}

const isSecret = (name: string) =>
  /_(?:PASSWORD|SECRET|SECRET_KEY|TOKEN|PASSWORD_KEY)$/.test(name) ||
  ["DATABASE_URL", "REDIS_URL", "SMTP_URL"].includes(name)

const sorted = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value.toSorted() : [])

const open = Object.keys(table).filter((_) => !isSecret(_))

describe("the chart's values", () => {
  const schema: unknown = JSON.parse(read(`${chart}/values.schema.json`))

  it("take every setting that is no secret; secrets come from secrets that are there", () => {
    assert.deepStrictEqual(sorted(at(schema, "properties", "settings", "propertyNames", "enum")), open.toSorted())
  })

  it("are each in the schema, and the other way round", () => {
    const given: unknown = parse(read(`${chart}/values.yaml`))
    const known = Object.keys(at(schema, "properties") ?? {}).filter((_) => _ !== "global")
    assert.sameMembers(Object.keys(given ?? {}), known)
  })

  it("name the release that they are of", () => {
    assert.strictEqual(
      at(parse(read(`${chart}/Chart.yaml`)), "appVersion"),
      at(JSON.parse(read("package.json")), "version")
    )
  })
})

const helm = isInstalled("helm") ? it : it.skip
const named = (title: string, ...programs: ReadonlyArray<string>) => {
  const missing = programs.filter((_) => !isInstalled(_))
  return missing.length === 0 ? title : `${title}: NOT RUN, ${missing.join(" AND ")} NOT INSTALLED`
}

describe("the chart", () => {
  helm(named("passes helm's lint", "helm"), () => {
    const { said, status } = run("helm", "lint", "--strict", chart, ...withValues(everything))
    assert.strictEqual(status, 0, said)
  })

  const validate = isInstalled("helm") && isInstalled("kubernetes-validate") ? it : it.skip
  validate(
    named("makes objects that the schemas of Kubernetes know, field by field", "helm", "kubernetes-validate"),
    () => {
      for (const options of [[], withValues(everything), ["-f", "deploy/manifests/values.yaml"]]) {
        const file = join(mkdtempSync(join(tmpdir(), "portico-chart-")), "all.yaml")
        writeFileSync(file, rendered(...options))
        const { said, status } = run("kubernetes-validate", "--strict", "-k", kubernetes, file)
        assert.strictEqual(status, 0, said)
      }
    }
  )

  helm(named("makes the manifests that are kept", "helm"), () => {
    const made = objectsIn(rendered("--skip-tests", "-f", "deploy/manifests/values.yaml"))
    const kept = objectsIn(read("deploy/manifests/portico.yaml"))
    assert.isAbove(kept.size, 6)
    assert.deepStrictEqual([...made.entries()].toSorted(), [...kept.entries()].toSorted())
  })

  helm(named("passes every setting on, and refuses a secret among them", "helm"), () => {
    const settings = Object.fromEntries(open.map((_) => [_, `value of ${_}`.replace(/.*_PORT$/, "9999")]))
    const config = objectsIn(rendered(...withValues({ settings }))).get("ConfigMap/portico")
    assert.deepInclude(at(config, "data"), settings)
    const refused = run("helm", "template", "x", chart, "--set", "settings.KEYSTONE_PASSWORD=hunter2")
    assert.notStrictEqual(refused.status, 0)
    assert.notInclude(refused.said, "hunter2")
  })

  helm(named("closes the operator plane to all but those that are named", "helm"), () => {
    const ports = (...options: ReadonlyArray<string>) =>
      at(objectsIn(rendered(...options)).get("NetworkPolicy/portico"), "spec", "ingress")
    assert.notInclude(JSON.stringify(ports()), "operator")
    assert.deepStrictEqual(at(ports(...withValues(everything)), 1), {
      ports: [{ port: "operator" }],
      from: [{ namespaceSelector: {} }]
    })
    const without = objectsIn(rendered("--set", "networkPolicy.enabled=false"))
    assert.notProperty(at(without.get("ConfigMap/portico"), "data") ?? {}, "OPERATOR_HOST")
  })

  helm(named("runs as nobody, on a read-only file system, behind the doctor", "helm"), () => {
    const pod = at(objectsIn(rendered()).get("Deployment/portico"), "spec", "template", "spec")
    assert.deepInclude(at(pod, "securityContext"), { runAsNonRoot: true, runAsUser: 1000 })
    const container = at(pod, "containers", 0)
    const doctor = at(pod, "initContainers", 0)
    assert.deepStrictEqual(at(doctor, "args"), ["--timeout", "10", "--require", "settings,database"])
    for (const one of [container, doctor]) {
      assert.deepInclude(at(one, "securityContext"), { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    }
    assert.deepStrictEqual(at(container, "envFrom"), at(doctor, "envFrom"))
  })

  helm(named("gives the account the rights that the gateway needs, and alerts their runbooks", "helm"), () => {
    const all = objectsIn(rendered(...withValues(everything)))
    assert.deepStrictEqual(at(all.get("ClusterRole/portico-portico"), "rules"), clusterRules)
    const rules = at(all.get("PrometheusRule/portico"), "spec", "groups", 0, "rules")
    assert.deepInclude(at(rules, 0, "annotations"), {
      runbook_url: "https://docs.example/operators/runbooks.md#porticogone"
    })
    assert.include(JSON.stringify(rules), "{{ $labels.plane }}")
  })
})
