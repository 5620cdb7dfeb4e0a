import { assert, describe, it } from "@effect/vitest"
import { clusterRules } from "@portico/upstream/rights/kubernetes"
import { Predicate, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import {
  at,
  chart,
  helm,
  isInstalled,
  kubeconform,
  kubernetes,
  named,
  newFolder,
  objectsIn,
  part,
  read,
  rendered,
  run,
  withValues
} from "./Chart.ts"

/** Values with every part switched on. */
const everything = {
  jobs: { apart: true, replicas: 2, resources: { requests: { cpu: "1" } } },
  cluster: { enabled: true },
  monitoring: { enabled: true, runbookBase: "https://docs.example/operators/" },
  autoscaling: { enabled: true },
  tls: { customer: "api-tls", operator: "ops-tls", agent: "agents-tls" },
  files: [{ name: "ca", mountPath: "/etc/portico/ca", secret: "authorities" }],
  existingSecrets: ["portico"],
  imagePullSecrets: [{ name: "registry" }],
  networkPolicy: { operators: [{ namespaceSelector: {} }], customers: [{ podSelector: {} }] }
}

/** The oldest, a middle and the newest release that the chart is for. */
const releases = ["1.27.0", kubernetes, "1.37.0"]

/** An object has the fields of its schema and no others, as the schemas of Kubernetes say it. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!Predicate.isObject(schema)) return schema
  const within = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isOpen = !("properties" in schema) || "additionalProperties" in schema
  return isOpen ? within : { ...within, additionalProperties: false }
}

/** A folder with the schemas of the objects that the Prometheus Operator defines. */
const operatorSchemas = () => {
  const folder = newFolder()
  for (const kinds of ["servicemonitors", "prometheusrules"]) {
    const definition: unknown = parse(readFileSync(join(part, `${kinds}.yaml`), "utf8"))
    const schema = at(definition, "spec", "versions", 0, "schema", "openAPIV3Schema")
    assert.isDefined(schema)
    writeFileSync(join(folder, `${kinds.slice(0, -1)}.json`), JSON.stringify(closed(schema)))
  }
  return folder
}

const Conformed = Schema.fromJsonString(
  Schema.Struct({
    resources: Schema.Array(Schema.Struct({ kind: Schema.String, status: Schema.String, msg: Schema.String }))
  })
)

/** The objects of these texts that a release of Kubernetes would not take. */
const unfit = (schemas: string, release: string, texts: ReadonlyArray<string>) => {
  const folder = newFolder()
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index}.yaml`), text)
  const native = join(part, "{{ .NormalizedKubernetesVersion }}", "{{ .ResourceKind }}{{ .KindSuffix }}.json")
  const locations = [native, join(schemas, "{{ .ResourceKind }}.json")].flatMap((_) => ["-schema-location", _])
  const options = ["-strict", "-n", "1", "-verbose", "-output", "json", "-kubernetes-version", release, ...locations]
  const { resources } = Schema.decodeUnknownSync(Conformed)(run(kubeconform, ...options, folder).stdout)
  assert.isAbove(resources.length, 10 * texts.length)
  // A document with nothing but a comment has none.
  return resources.filter((_) => _.status !== "statusValid" && _.status !== "")
}

/** Autoscaling by what an adapter serves, as the page of the installation shows it. */
const byMetrics: object = (() => {
  const text = /^```yaml\n(autoscaling:\n.*?)^```$/ms.exec(read("docs/operators/kubernetes-install.md"))?.[1] ?? ""
  const found = at(parse(text), "autoscaling")
  return Predicate.isObject(found) ? found : {}
})()

const podOf = (deployment: unknown) => at(deployment, "spec", "template", "spec")

const container = (deployment: unknown): object => {
  const found = at(podOf(deployment), "containers", 0)
  return Predicate.isObject(found) ? found : {}
}

const isWithin = (selector: unknown, labels: unknown): boolean =>
  Object.entries(selector ?? {}).every(([label, value]) => at(labels, label) === value)

/** The Deployments whose pods a selector takes. */
const selected = (all: ReadonlyMap<string, unknown>, selector: unknown): ReadonlyArray<string> =>
  [...all].flatMap(([name, object]) =>
    name.startsWith("Deployment/") && isWithin(selector, at(object, "spec", "template", "metadata", "labels"))
      ? [name]
      : []
  )

describe("the chart", () => {
  helm(named("passes helm's lint", "helm"), () => {
    const { said, status } = run("helm", "lint", "--strict", chart, ...withValues(everything))
    assert.strictEqual(status, 0, said)
  })

  const validate = isInstalled("helm") && isInstalled(kubeconform) ? it : it.skip
  validate(named("makes objects valid for Kubernetes and the Prometheus Operator", "helm", kubeconform), () => {
    const schemas = operatorSchemas()
    const full = rendered(...withValues(everything))
    const good = [
      rendered(),
      full,
      rendered(...withValues({ autoscaling: byMetrics })),
      read("deploy/manifests/portico.yaml")
    ]
    for (const release of releases) assert.deepStrictEqual(unfit(schemas, release, good), [])

    // Field by field: none that is misspelled, and no value of another type passes, in no kind of object.
    const wrong = [
      ["maxSurge:", "maxSurges:"],
      ["stabilizationWindowSeconds:", "stabilizationSeconds:"],
      ["policyTypes:", "policies:"],
      ["jobLabel:", "jobLabels:"],
      ["runbook_url: ", "runbook_url: 1 #"]
    ] as const
    const found = unfit(
      schemas,
      kubernetes,
      wrong.map(([field, other]) => full.replaceAll(field, other))
    )
    assert.deepStrictEqual([...new Set(found.map((_) => _.kind))].toSorted(), [
      "Deployment",
      "HorizontalPodAutoscaler",
      "NetworkPolicy",
      "PrometheusRule",
      "ServiceMonitor"
    ])
  })

  helm(named("makes the committed manifests", "helm"), () => {
    const made = objectsIn(rendered("--skip-tests", "-f", "deploy/manifests/values.yaml"))
    const kept = objectsIn(read("deploy/manifests/portico.yaml"))
    assert.isAbove(kept.size, 6)
    assert.deepStrictEqual([...made.entries()].toSorted(), [...kept.entries()].toSorted())
  })

  helm(named("closes the operator plane to all but the named sources", "helm"), () => {
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

  helm(named("runs the jobs in pods of their own, which serve no requests and are monitored", "helm"), () => {
    const together = objectsIn(rendered())
    assert.notProperty(at(together.get("ConfigMap/portico"), "data") ?? {}, "BACKGROUND_JOBS")
    assert.deepStrictEqual(
      [...together.keys()].filter((_) => _.endsWith("-jobs")),
      []
    )

    const all = objectsIn(rendered(...withValues({ ...everything, settings: { PORTICO_PROCESSES: 4 } })))
    assert.deepInclude(at(all.get("ConfigMap/portico"), "data"), {
      BACKGROUND_JOBS: "elsewhere",
      PORTICO_PROCESSES: "4"
    })
    const serving = all.get("Deployment/portico")
    const jobs = all.get("Deployment/portico-jobs")
    assert.isUndefined(at(container(serving), "env"))
    assert.deepStrictEqual(at(container(jobs), "env"), [
      { name: "BACKGROUND_JOBS", value: "here" },
      { name: "PORTICO_PROCESSES", value: "1" }
    ])
    assert.deepStrictEqual(at(container(jobs), "resources"), everything.jobs.resources)
    assert.strictEqual(at(jobs, "spec", "replicas"), 2)
    // All else is the same: settings, secrets, files, probes, the doctor.
    const rest = (deployment: unknown) => {
      const others = Object.entries(container(deployment)).filter(([key]) => key !== "env" && key !== "resources")
      return { others, doctor: at(podOf(deployment), "initContainers") }
    }
    assert.deepStrictEqual(rest(jobs), rest(serving))
    assert.deepStrictEqual(
      at(jobs, "spec", "template", "metadata", "annotations"),
      at(serving, "spec", "template", "metadata", "annotations")
    )

    const selectors = [...all].flatMap(([name, object]) => {
      const selector =
        at(object, "spec", "selector", "matchLabels") ??
        at(object, "spec", "podSelector", "matchLabels") ??
        (name.startsWith("Service/") ? at(object, "spec", "selector") : undefined)
      return selector === undefined ? [] : [[name, selected(all, selector)] as const]
    })
    const apart = ["Deployment/portico-jobs", "NetworkPolicy/portico-jobs", "Service/portico-jobs"]
    assert.deepStrictEqual(
      Object.fromEntries(selectors.filter(([name]) => !name.startsWith("ServiceMonitor/"))),
      Object.fromEntries([
        ...apart.map((_) => [_, ["Deployment/portico-jobs"]]),
        ...[
          "Deployment/portico",
          "NetworkPolicy/portico",
          "PodDisruptionBudget/portico",
          "Service/portico-customer",
          "Service/portico-agent",
          "Service/portico-operator"
        ].map((_) => [_, ["Deployment/portico"]])
      ])
    )
    assert.deepStrictEqual(at(all.get("HorizontalPodAutoscaler/portico"), "spec", "scaleTargetRef", "name"), "portico")

    // Prometheus finds both under one job, and the policy lets it in.
    const scraped = at(all.get("ServiceMonitor/portico"), "spec", "selector", "matchLabels")
    const services = [...all].filter(
      ([name, _]) => name.startsWith("Service/") && isWithin(scraped, at(_, "metadata", "labels"))
    )
    assert.sameMembers(
      services.map(([name]) => name),
      ["Service/portico-operator", "Service/portico-jobs"]
    )
    for (const [, service] of services) {
      assert.strictEqual(at(service, "metadata", "labels", "app.kubernetes.io/name"), "portico")
      assert.deepInclude(at(service, "spec", "ports", 0), { name: "operator", targetPort: "operator" })
    }
    assert.deepStrictEqual(at(all.get("NetworkPolicy/portico-jobs"), "spec", "ingress"), [
      { ports: [{ port: "operator" }], from: everything.networkPolicy.operators }
    ])
    const closed = objectsIn(rendered("--set", "jobs.apart=true"))
    assert.deepStrictEqual(at(closed.get("NetworkPolicy/portico-jobs"), "spec", "ingress"), [])
  })

  helm(named("scales by the cores of a replica, or by the values", "helm"), () => {
    const scaler = (values: unknown) =>
      at(objectsIn(rendered(...withValues(values))).get("HorizontalPodAutoscaler/portico"), "spec")
    const target = (settings: unknown) =>
      at(scaler({ autoscaling: { enabled: true }, settings }), "metrics", 0, "containerResource", "target")
    assert.deepStrictEqual(target({}), { type: "AverageValue", averageValue: "700m" })
    for (const count of [4, "4"]) {
      assert.deepStrictEqual(target({ PORTICO_PROCESSES: count }), { type: "AverageValue", averageValue: "2800m" })
    }
    assert.deepStrictEqual(at(scaler({ autoscaling: { enabled: true } }), "behavior"), {
      scaleDown: { stabilizationWindowSeconds: 600 }
    })
    const behavior = { scaleUp: { stabilizationWindowSeconds: 30 }, scaleDown: { stabilizationWindowSeconds: 60 } }
    const given = scaler({ autoscaling: { ...byMetrics, behavior } })
    assert.deepStrictEqual(at(given, "metrics"), at(byMetrics, "metrics"))
    assert.deepStrictEqual(at(given, "behavior"), behavior)
  })

  helm(named("runs as an unprivileged user, on a read-only file system, after the doctor", "helm"), () => {
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

  helm(named("starts under a quota: every container has requests and limits, from the values", "helm"), () => {
    const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi" } }
    for (const values of [{}, { resources, doctor: { resources }, jobs: { apart: true } }]) {
      const all = [...objectsIn(rendered(...withValues(values)))]
      const pods = all.flatMap(([name, object]) =>
        name.startsWith("Pod/") ? [at(object, "spec")] : name.startsWith("Deployment/") ? [podOf(object)] : []
      )
      const containers = pods.flatMap((_) => [at(_, "initContainers", 0), at(_, "containers", 0)])
      const given = containers.filter((_) => _ !== undefined).map((_) => at(_, "resources"))
      const counted = given.map((_) => [
        at(_, "requests", "cpu"),
        at(_, "requests", "memory"),
        at(_, "limits", "memory")
      ])
      assert.isAtLeast(counted.length, 3)
      for (const one of counted.flat()) assert.isString(one)
      if ("resources" in values) assert.deepStrictEqual(new Set(counted.flat()), new Set(["1", "1Gi", "2Gi"]))
    }
  })

  helm(named("gives the account the gateway's rights, and each alert its runbook", "helm"), () => {
    const all = objectsIn(rendered(...withValues(everything)))
    assert.deepStrictEqual(at(all.get("ClusterRole/portico-portico"), "rules"), clusterRules)
    const rules = at(all.get("PrometheusRule/portico"), "spec", "groups", 0, "rules")
    assert.deepInclude(at(rules, 0, "annotations"), {
      runbook_url: "https://docs.example/operators/runbooks.md#porticogone"
    })
    assert.include(JSON.stringify(rules), "{{ $labels.plane }}")
  })
})
