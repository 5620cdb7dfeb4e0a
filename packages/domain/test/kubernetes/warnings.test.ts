import { assert, describe, it } from "@effect/vitest"
import { Components } from "@portico/domain/health/Components"
import { readiness } from "@portico/domain/health/readiness"
import { checkCluster, ClusterWarnings } from "@portico/domain/kubernetes/warnings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Effect } from "effect"
import { inTime } from "@portico/testing/clock"
import { errorOf, put, withNamespace } from "../databases/databases.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const externalIps =
  "the cluster admits Services with external addresses: the admission plug-in DenyServiceExternalIPs is not on"
const nodePorts = "the cluster admits Services of type NodePort in tenants' namespaces: ResourceQuota is not enforced"
const security = "the cluster admits pods of tenants to its nodes' network: Pod Security is not enforced"

describe("warnings about a cluster without protection", () => {
  it.effect("are unknown before a tenant has a namespace", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* inTime(checkCluster()), [])
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are found by a request that must be refused, which stores nothing", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const { kubernetes } = (yield* SimulatedCloud).world
      const before = structuredClone(kubernetes.objects)
      // As a stock cluster is.
      assert.deepStrictEqual(yield* inTime(checkCluster()), [externalIps])
      assert.deepStrictEqual(kubernetes.objects, before)
      const namespace = kubernetes.objects["namespaces"]?.[`/db-${projectId}`]
      assert.isDefined(namespace)
      kubernetes.objects["namespaces"] = {
        ...kubernetes.objects["namespaces"],
        [`/db-${projectId}`]: { ...namespace!, metadata: { ...namespace!.metadata, labels: {} } }
      }
      kubernetes.objects["resourcequotas"] = {}
      assert.deepStrictEqual(yield* inTime(checkCluster()), [security, nodePorts, externalIps])
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are not given while the API server does not answer", () =>
    Effect.gen(function* () {
      yield* withNamespace("discovery")
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "kubernetes",
        method: "POST",
        path: "/api/v1/namespaces/*/pods",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      const failure = yield* Effect.flip(inTime(checkCluster()))
      assert.strictEqual(failure._tag, "UpstreamError")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are shown in readiness to operators alone, without degrading it", () =>
    Effect.gen(function* () {
      const current = () => [externalIps]
      const told = (plane: "customer" | "operator") =>
        Effect.provideService(inTime(readiness(plane)), ClusterWarnings, { current })
      yield* Effect.flatMap(Components, (_) => _.round)
      const { components, status } = yield* told("operator")
      assert.deepStrictEqual([status, components?.["kubernetes"]?.warnings], ["ready", [externalIps]])
      assert.deepStrictEqual(yield* told("customer"), { status: "ready" })
      const without = yield* inTime(readiness("operator"))
      assert.deepStrictEqual(without.components?.["kubernetes"]?.warnings, [])
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the simulated Pod Security", () => {
  it.effect("holds pods of a namespace with the label to the baseline", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const main = { name: "main", image: "x" }
      const wrong = {
        "host namespaces (hostPID=true)": { hostPID: true, containers: [main] },
        'hostPath volumes (volume \\"v\\")': { containers: [main], volumes: [{ name: "v", hostPath: { path: "/" } }] },
        'privileged (container \\"main\\" must not set securityContext.privileged=true)': {
          containers: [{ ...main, securityContext: { privileged: true } }]
        },
        'hostPort (container \\"main\\" uses hostPorts)': {
          containers: [{ ...main, ports: [{ containerPort: 80, hostPort: 80 }] }]
        }
      }
      for (const [words, spec] of Object.entries(wrong)) {
        const refused = errorOf(yield* Effect.exit(put(kinds.pod, projectId, "wrong", { spec })))
        assert.include(refused, `violates PodSecurity \\"baseline:latest\\": ${words}`)
      }
      assert.isUndefined(
        errorOf(yield* Effect.exit(put(kinds.pod, projectId, "right", { spec: { containers: [main] } })))
      )
    }).pipe(Effect.provide(Simulated))
  )
})
