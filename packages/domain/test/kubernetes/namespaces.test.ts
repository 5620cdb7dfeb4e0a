import { assert, describe, it } from "@effect/vitest"
import { type Tier, tiers } from "@portico/contract/Tiers"
import { ensureNamespace } from "@portico/domain/kubernetes/ensureNamespace"
import { hardLimits, namespaceClaims } from "@portico/domain/kubernetes/quotas"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { asAdministrator, create, errorOf, log, put, until, withNamespace } from "../databases/databases.ts"
import { Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"

const find = Effect.fnUntraced(function* (kind: (typeof kinds)[keyof typeof kinds], projectId: string, name: string) {
  const found = yield* (yield* Kubernetes).find(kind, { namespace: `db-${projectId}`, name })
  return Object(found?.["spec"])
})

const policy = (projectId: string, name: string) => find(kinds.networkPolicy, projectId, name)

/** As an API server keeps them: thousands as `1k`. */
const canonical = (hard: ReturnType<typeof hardLimits>) =>
  Object.fromEntries(Object.entries(hard).map(([name, amount]) => [name, amount.replace(/^(\d+)000$/, "$1k")]))

const inNamespaces = (...values: ReadonlyArray<string>) => ({
  namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values }] }
})

describe("the quota of a tenant's namespace", () => {
  for (const tier of ["discovery", "standard", "extension"] as const satisfies ReadonlyArray<Tier>) {
    it.effect(`${tier}: limits every resource of the cluster, and has room for all its databases`, () =>
      Effect.gen(function* () {
        const projectId = yield* withNamespace(tier)
        const { hard } = yield* find(kinds.resourceQuota, projectId, "tenant-quota")
        assert.deepStrictEqual(hard, canonical(hardLimits(tier)))
        assert.deepInclude(hard, {
          persistentvolumeclaims: "8",
          "requests.storage": `${tiers[tier].storage_footprint}Gi`,
          "services.loadbalancers": "0",
          "services.nodeports": "0",
          "count/ingresses.networking.k8s.io": "0"
        })
        // An instance has 1 CPU and 1 GiB at most, and there are as many as claims; the tier's own are left beside them.
        for (const [name, unit] of [
          ["limits.cpu", 1],
          ["requests.cpu", 1],
          ["limits.memory", 1],
          ["requests.memory", 1]
        ] as const) {
          const own = name.endsWith("cpu") ? tiers[tier].cores : tiers[tier].ram_mib / 1024
          assert.isAtLeast(Number.parseInt(hard[name], 10), own + namespaceClaims * unit, name)
        }
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("lets eight databases run together, with all their operators' objects", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      for (const name of ["a", "b", "c", "d"]) yield* create(projectId, { name, size_gb: 10 })
      for (const name of ["e", "f", "g", "h"]) yield* create(projectId, { ...log, name, size_gb: 10 })
      for (const name of ["a", "d"]) yield* until(projectId, { engine: "postgres", name }, "ready")
      for (const name of ["e", "h"]) yield* until(projectId, { engine: "kafka", name }, "ready")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("refuses sixty pods of sixteen CPUs, a NodePort Service, and preempting pods", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const pod = (cpu: string, more: object = {}) => ({
        spec: { containers: [{ name: "main", image: "x", resources: { requests: { cpu }, limits: { cpu } } }], ...more }
      })
      assert.isUndefined((yield* Effect.exit(put(kinds.pod, projectId, "first", pod("16")))).pipe(errorOf))
      const second = errorOf(yield* Effect.exit(put(kinds.pod, projectId, "second", pod("16"))))
      assert.include(second, "exceeded quota: tenant-quota")
      const critical = pod("100m", { priorityClassName: "system-node-critical" })
      const third = errorOf(yield* Effect.exit(put(kinds.pod, projectId, "third", critical)))
      assert.include(third, "exceeded quota: tenant-priorities")
      assert.isUndefined(errorOf(yield* Effect.exit(put(kinds.pod, projectId, "fourth", pod("100m")))))
      for (const type of ["NodePort", "LoadBalancer"]) {
        const service = { spec: { type, ports: [{ port: 80 }] } }
        const refused = errorOf(yield* Effect.exit(put(kinds.service, projectId, type.toLowerCase(), service)))
        assert.include(refused, "exceeded quota: tenant-quota")
      }
      assert.isUndefined(
        errorOf(yield* Effect.exit(put(kinds.service, projectId, "own", { spec: { ports: [{ port: 80 }] } })))
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of a suspended tenant keeps running pods and refuses new ones; a move restores all", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const hard = Effect.map(find(kinds.resourceQuota, projectId, "tenant-quota"), (_) => _.hard)
      yield* inTime(suspend(projectId))
      const { secrets } = hardLimits("standard")
      // No pod runs, so that none comes back.
      const zero = { pods: "0", persistentvolumeclaims: "0", "requests.storage": "0", "count/deployments.apps": "0" }
      for (const _ of [1, 2]) {
        assert.deepInclude(yield* hard, { secrets, ...zero })
        yield* inTime(ensureNamespace(projectId, "suspended"))
      }
      yield* inTime(moveTier(projectId, "extension"))
      assert.deepStrictEqual(yield* hard, canonical(hardLimits("extension")))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of a suspended tenant holds pods at their usage: a dead one is replaced, without others", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const { remove } = yield* Effect.provide(Kubernetes, asAdministrator)
      const hard = Effect.map(find(kinds.resourceQuota, projectId, "tenant-quota"), (_) => _.hard)
      const resources = { requests: { cpu: "250m", memory: "256Mi" }, limits: { cpu: "1", memory: "1Gi" } }
      const pod = (name: string) =>
        Effect.map(
          Effect.exit(
            put(kinds.pod, projectId, name, { spec: { containers: [{ name: "main", image: "x", resources }] } })
          ),
          errorOf
        )
      const [first, second] = [yield* pod("first"), yield* pod("second")]
      assert.deepStrictEqual([first, second], [undefined, undefined])
      const held = {
        pods: "2",
        "requests.cpu": "500m",
        "limits.cpu": "2",
        "requests.memory": "512Mi",
        "limits.memory": "2Gi",
        services: hardLimits("standard")["services"]
      }

      yield* inTime(suspend(projectId))
      assert.deepInclude(yield* hard, held)
      assert.include(yield* pod("third"), "exceeded quota: tenant-quota")

      yield* remove(kinds.pod, { namespace: `db-${projectId}`, name: "first" })
      yield* TestClock.adjust("1 minute")
      // The room of what is just being replaced is not taken away by another look.
      yield* inTime(suspend(projectId))
      yield* inTime(ensureNamespace(projectId, "suspended"))
      assert.deepInclude(yield* hard, held)
      assert.isUndefined(yield* pod("first-again"))
      assert.include(yield* pod("third"), "exceeded quota: tenant-quota")

      yield* inTime(moveTier(projectId, "standard"))
      assert.deepStrictEqual(yield* hard, hardLimits("standard"))
      assert.isUndefined(yield* pod("third"))

      // Suspended a second time it is held at what it uses then.
      yield* inTime(suspend(projectId))
      assert.deepInclude(yield* hard, { pods: "3", "requests.cpu": "750m" })
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the network policies of a tenant's namespace", () => {
  it.effect("allow the tenant's own pods, DNS and egress, without private networks", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const own = inNamespaces(`db-${projectId}`)
      const { egress, ...spec } = yield* policy(projectId, "tenant-default")
      assert.deepStrictEqual(spec, { podSelector: {}, policyTypes: ["Ingress", "Egress"], ingress: [{ from: [own] }] })
      assert.deepStrictEqual(egress, [
        { to: [own] },
        {
          to: [inNamespaces("kube-system"), { ipBlock: { cidr: "169.254.20.10/32" } }],
          ports: [
            { protocol: "UDP", port: 53 },
            { protocol: "TCP", port: 53 }
          ]
        },
        {
          to: [
            {
              ipBlock: {
                cidr: "0.0.0.0/0",
                except: ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"]
              }
            }
          ]
        },
        { to: [{ ipBlock: { cidr: "::/0", except: ["fc00::/7", "fe80::/10"] } }] }
      ])
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("admit the edge, database operators, monitoring and the API server", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const platform = inNamespaces(
        "portico-edge",
        "kube-system",
        "cnpg-system",
        "strimzi",
        "strimzi-system",
        "envoy-gateway-system",
        "monitoring"
      )
      const server = { ipBlock: { cidr: "192.0.2.10/32" } }
      assert.deepStrictEqual(yield* policy(projectId, "tenant-platform"), {
        podSelector: {},
        policyTypes: ["Ingress"],
        ingress: [{ from: [platform, server] }]
      })
      for (const [name, key] of [
        ["tenant-postgres", "cnpg.io/cluster"],
        ["tenant-kafka", "strimzi.io/cluster"]
      ] as const) {
        assert.deepStrictEqual(yield* policy(projectId, name), {
          podSelector: { matchExpressions: [{ key, operator: "Exists" }] },
          policyTypes: ["Egress"],
          egress: [{ to: [server], ports: [{ protocol: "TCP", port: 6443 }] }]
        })
      }
    }).pipe(Effect.provide(Simulated))
  )

  const settings = {
    KUBERNETES_PLATFORM_NAMESPACES: "databases",
    KUBERNETES_DNS_NAMESPACES: "openshift-dns",
    KUBERNETES_DENIED_NETWORKS: "10.0.0.0/8, 198.51.100.0/24",
    KUBERNETES_ALLOWED_NETWORKS: "10.20.0.0/16,10.9.0.5/32",
    KUBERNETES_API_NETWORKS: "10.1.0.0/28",
    EDGE_GATEWAY: "ingress/public",
    OPERATOR_HOST: "203.0.113.7",
    CUSTOMER_HOST: "0.0.0.0",
    CUSTOMER_PORT: "8443",
    DATABASE_ARCHIVE_ENDPOINT: "https://10.20.0.9:7443"
  }

  it.effect("follow the settings, and never open the operator plane", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const { egress } = yield* policy(projectId, "tenant-default")
      assert.deepStrictEqual(egress.slice(1), [
        {
          to: [inNamespaces("openshift-dns"), { ipBlock: { cidr: "169.254.20.10/32" } }],
          ports: [
            { protocol: "UDP", port: 53 },
            { protocol: "TCP", port: 53 }
          ]
        },
        { to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8", "198.51.100.0/24", "203.0.113.7/32"] } }] },
        { to: [{ ipBlock: { cidr: "::/0" } }] },
        { to: [{ ipBlock: { cidr: "10.20.0.0/16" } }] },
        { to: [{ ipBlock: { cidr: "10.9.0.5/32" } }] },
        { to: [{ ipBlock: { cidr: "203.0.113.7/32" } }], ports: [{ protocol: "TCP", port: 8443 }] },
        { to: [{ ipBlock: { cidr: "10.20.0.9/32" } }], ports: [{ protocol: "TCP", port: 7443 }] }
      ])
      const { ingress } = yield* policy(projectId, "tenant-platform")
      assert.deepStrictEqual(ingress, [
        { from: [inNamespaces("ingress", "databases"), { ipBlock: { cidr: "10.1.0.0/28" } }] }
      ])
    }).pipe(Effect.provide(simulatedWith(settings)))
  )

  it.effect("apply within an allowed network too, and with all traffic closed", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const { egress } = yield* policy(projectId, "tenant-default")
      assert.deepStrictEqual(egress.slice(2), [
        { to: [{ ipBlock: { cidr: "203.0.113.0/24", except: ["203.0.113.7/32"] } }] }
      ])
    }).pipe(
      Effect.provide(
        simulatedWith({
          KUBERNETES_DENIED_NETWORKS: "0.0.0.0/0,::/0",
          KUBERNETES_ALLOWED_NETWORKS: "203.0.113.0/24,203.0.113.7/32",
          OPERATOR_HOST: "203.0.113.7"
        })
      )
    )
  )

  it.effect("are added to an older namespace with the next write or move of the tier", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      for (const again of ["write", "move"] as const) {
        const projectId = yield* withNamespace("discovery", again)
        const objects = world.kubernetes.objects["networkpolicies.networking.k8s.io"] ?? {}
        for (const key of Object.keys(objects)) delete objects[key]
        yield* again === "write"
          ? inTime(ensureNamespace(projectId, "discovery"))
          : inTime(moveTier(projectId, "standard"))
        assert.strictEqual((yield* policy(projectId, "tenant-default")).policyTypes.length, 2)
      }
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a managed Kafka", () => {
  const peers = (projectId: string) => [inNamespaces(`db-${projectId}`)]
  /** Whom the operator's own policy lets in, by port. */
  const letIn = Effect.fnUntraced(function* (projectId: string, name: string) {
    const { ingress } = yield* policy(projectId, `${name}-network-policy-kafka`)
    return Object.fromEntries(
      ingress.map((_: { ports: ReadonlyArray<{ port: number }>; from?: unknown }) => [_.ports[0]?.port, _.from])
    )
  })

  it.effect("admits the tenant's own pods alone, at each listener", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      yield* create(projectId, log)
      yield* until(projectId, { engine: "kafka", name: log.name }, "ready")
      const open = yield* letIn(projectId, log.name)
      assert.deepStrictEqual([open[9092], open[9093]], [peers(projectId), peers(projectId)])
      assert.isTrue(Object.values(open).every((_) => Array.isArray(_)))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of an earlier release is closed by the next write into the namespace, and otherwise unchanged", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      yield* create(projectId, log)
      yield* until(projectId, { engine: "kafka", name: log.name }, "ready")
      const { merge } = yield* Kubernetes
      const place = { namespace: `db-${projectId}`, name: log.name }
      const listeners = [
        { name: "plain", port: 9092, type: "internal", tls: false },
        { name: "own", port: 9095, type: "internal", tls: true, networkPolicyPeers: [{ podSelector: {} }] }
      ]
      yield* merge(kinds.kafka, place, { spec: { kafka: { listeners } } })
      yield* until(projectId, { engine: "kafka", name: log.name }, "ready")
      assert.isUndefined((yield* letIn(projectId, log.name))[9092])
      // Somebody else changes it at the same time: the write goes on, and the next one looks again.
      const path = `**/kafkas/${log.name}`
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ service: "kubernetes", method: "PATCH", path, when: "before", as: { status: 409 } })
      yield* inTime(ensureNamespace(projectId, "discovery"))
      assert.isUndefined((yield* letIn(projectId, log.name))[9092])
      yield* inTime(ensureNamespace(projectId, "discovery"))
      yield* until(projectId, { engine: "kafka", name: log.name }, "ready")
      const open = yield* letIn(projectId, log.name)
      assert.deepStrictEqual([open[9092], open[9095]], [peers(projectId), [{ podSelector: {} }]])
      const before = yield* (yield* Kubernetes).find(kinds.kafka, place)
      yield* inTime(ensureNamespace(projectId, "discovery"))
      assert.strictEqual(
        (yield* (yield* Kubernetes).find(kinds.kafka, place))?.metadata["generation"],
        before?.metadata["generation"]
      )
    }).pipe(Effect.provide(Simulated))
  )
})
