import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { cluster } from "../kubernetes/ClusterTap.ts"
import { eventually } from "../processes/children.ts"
import { isHere, RealCluster, title } from "./RealCluster.ts"
import { OnRealCluster } from "./stage.ts"

const asked = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, tier: 0 | 1 | 2 = 2) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[tier], body })
})

const pod = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "main", image: "busybox", ...more }] }
})

describe.skipIf(!isHere)(title("a real API server behind the gateway"), () => {
  if (!isHere) return
  layer(OnRealCluster, { excludeTestServices: true })("with the rights of the operators' page", (it) => {
    it.effect("is a healthy component, without warnings", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        yield* cluster("POST", `/api/v1/namespaces/db-${acme.projectId}/configmaps`, {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "first" } }
        })
        yield* eventually(
          Effect.gen(function* () {
            const { call } = yield* TestGateway
            const ready = jsonOf(yield* call("operator", "GET", "/health/ready", { token: operator }))
            assert.strictEqual(ready.components.kubernetes.state, "ok", JSON.stringify(ready.components.kubernetes))
            assert.deepStrictEqual(ready.components.kubernetes.warnings ?? [], [])
          })
        )
      })
    )

    it.effect("gives the gateway's account nothing beyond its role", () =>
      Effect.gen(function* () {
        const { kubectl } = yield* RealCluster
        const account = "--as=system:serviceaccount:portico:portico-gateway"
        for (const line of [
          "delete pods",
          "list secrets",
          "update clusterroles",
          "escalate clusterroles",
          "get nodes"
        ]) {
          assert.strictEqual(
            (yield* kubectl(["auth", "can-i", ...line.split(" "), "-A", account])).out.trim(),
            "no",
            line
          )
        }
      })
    )

    it.effect("lets a tenant work in its own namespace alone, within its tier", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const pods = `/api/v1/namespaces/db-${acme.projectId}/pods`
        const made = yield* cluster("POST", pods, { token: acme.tokens[1], body: pod("web") })
        assert.strictEqual(made.status, 201, made.text)
        assert.strictEqual((yield* cluster("GET", `${pods}/web`, { token: acme.tokens[0] })).status, 200)
        assert.strictEqual((yield* cluster("POST", pods, { token: acme.tokens[0], body: pod("x") })).status, 403)
        assert.strictEqual((yield* cluster("DELETE", `${pods}/web`, { token: acme.tokens[1] })).status, 403)
        for (const token of globex.tokens) assert.strictEqual((yield* cluster("GET", pods, { token })).status, 404)
        assert.strictEqual((yield* cluster("DELETE", `${pods}/web`)).status, 200)
        const privileged = yield* cluster("POST", pods, { body: pod("p", { securityContext: { privileged: true } }) })
        assert.include(jsonOf(privileged).message, 'violates PodSecurity "baseline:latest": privileged')
        const resources = { limits: { cpu: "19" } }
        assert.include(
          jsonOf(yield* cluster("POST", pods, { body: pod("p", { resources }) })).message,
          "exceeded quota: tenant-quota"
        )
      })
    )

    it.effect("follows a watch through changes", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const maps = `/api/v1/namespaces/db-${acme.projectId}/configmaps`
        const { metadata } = jsonOf(yield* cluster("GET", maps))
        const change = Effect.gen(function* () {
          yield* cluster("POST", maps, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" } } })
          yield* cluster("DELETE", `${maps}/seen`)
        })
        const query = `watch=1&timeoutSeconds=2&resourceVersion=${metadata.resourceVersion}`
        const [{ text }] = yield* Effect.all([cluster("GET", `${maps}?${query}`), change], { concurrency: 2 })
        assert.deepStrictEqual(
          text
            .trim()
            .split("\n")
            .map((_) => JSON.parse(_).type),
          ["ADDED", "DELETED"]
        )
      })
    )

    it.effect("takes managed databases field by field, as the operators define them", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { stored } = yield* RealCluster
        const backup = { enabled: true, schedule: "0 30 2 * * *", retention_days: 14 }
        const orders = { engine: "postgres", name: "orders", version: "17", size_gb: 10, replicas: 3, backup }
        for (const body of [orders, { engine: "kafka", name: "log", version: "4.3.1", size_gb: 10 }]) {
          const made = yield* asked("POST", "/v1/databases", body, 1)
          assert.strictEqual(made.status, 201, made.text)
          const at = `/v1/databases/${body.engine}/${body.name}`
          assert.strictEqual(jsonOf(yield* asked("GET", at, undefined, 0)).status, "pending")
          const grown = yield* asked("PATCH", at, { size_gb: 20 }, 1)
          assert.strictEqual(grown.status, 200, grown.text)
        }
        const namespace = `--namespace=db-${acme.projectId}`
        const { spec } = yield* stored("clusters.postgresql.cnpg.io", "orders", namespace)
        assert.deepInclude(spec, { instances: 3 })
        assert.deepInclude(spec.storage, { size: "20Gi" })
        assert.lengthOf((yield* stored("scheduledbackups.postgresql.cnpg.io", namespace)).items, 1)
        assert.lengthOf((yield* stored("kafkas.kafka.strimzi.io", namespace)).items, 1)
        assert.lengthOf((yield* stored("kafkanodepools.kafka.strimzi.io", namespace)).items, 1)
        for (const at of ["postgres/orders", "kafka/log"]) {
          const gone = yield* asked("DELETE", `/v1/databases/${at}`)
          assert.strictEqual(gone.status, 200, gone.text)
          assert.strictEqual((yield* asked("GET", `/v1/databases/${at}`)).status, 404)
        }
        for (const kind of [
          "clusters.postgresql.cnpg.io",
          "kafkas.kafka.strimzi.io",
          "kafkanodepools.kafka.strimzi.io"
        ]) {
          assert.deepStrictEqual((yield* stored(kind, namespace)).items, [])
        }
      })
    )

    it.effect("takes the routes of exposures, of a Service and of an address", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { administered, stored } = yield* RealCluster
        yield* administered(["create", "namespace", "portico-edge"])
        const { floatingip } = jsonOf(
          yield* asked("POST", "/v1/iaas/network/floatingips", { floatingip: { floating_network_id: yield* external } })
        )
        const kinds = ["httproutes", "services", "endpointslices"]
        const counts = Effect.forEach(kinds, (kind) =>
          Effect.map(stored(kind, "--namespace=portico-edge"), (_) => _.items.length)
        )
        for (const [target, made, grants] of [
          [{ service: "web", port: 80 }, [1, 0, 0], 1],
          [{ address: floatingip.floating_ip_address, port: 80 }, [1, 1, 1], 0]
        ] as const) {
          const exposed = yield* asked("POST", "/v1/edge/exposures", { name: "shop", target }, 1)
          assert.strictEqual(exposed.status, 201, exposed.text)
          assert.deepStrictEqual(yield* counts, [...made])
          const { items } = yield* stored("referencegrants", `--namespace=db-${acme.projectId}`)
          assert.lengthOf(items, grants)
          const gone = yield* asked("DELETE", `/v1/edge/exposures/${jsonOf(exposed).exposure_id}`)
          assert.strictEqual(gone.status, 200, gone.text)
          assert.deepStrictEqual(yield* counts, [0, 0, 0])
        }
      })
    )
  })
})

const external = Effect.map(
  Effect.suspend(() => asked("GET", "/v1/iaas/network/networks?router:external=true")),
  (_) => String(jsonOf(_).networks[0].id)
)
