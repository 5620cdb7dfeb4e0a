import { assert, it as plain, layer } from "@effect/vitest"
import { followers } from "@portico/simulator/kubernetes/hub"
import { writeLog } from "@portico/simulator/kubernetes/logs"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { Cast, operator, tenant } from "../harness/Cast.ts"
import { Clustered, ClusterTap, runningPod } from "./ClusterTap.ts"
import { eventually } from "../processes/children.ts"
import { send } from "../harness/http.ts"
import { installed, Kubectl } from "./Kubectl.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import type { Run } from "../harness/Tls.ts"

const minor = await Effect.runPromise(installed)
/** Programs take longer to start than sockets do to move. */
const waitFor = (check: () => void) => eventually(Effect.sync(check))

const manifest = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { color: "green" } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "front" },
      spec: {
        selector: { matchLabels: { app: "front" } },
        template: {
          metadata: { labels: { app: "front" } },
          spec: { containers: [{ name: "main", image: "nginx" }] }
        }
      }
    }
  ]
})

/** One run as acme's credential of a tier, in acme's namespace. */
const kubectl = Effect.fnUntraced(function* (tier: 0 | 1 | 2, line: string, input?: string) {
  const { acme } = yield* Cast
  const args = [`--namespace=db-${acme.projectId}`, ...line.split(" ")]
  return yield* (yield* Kubectl).run(acme.tokens[tier], args, input)
})

/**
 * kubectl begins to read before it has noted its streams, and drops what a
 * quick process says meanwhile; it then says so and is asked again.
 */
const attentive = (line: string) =>
  kubectl(1, line).pipe(Effect.repeat({ while: (_) => _.err.includes("Unknown stream id"), times: 9 }))

const following = Effect.fnUntraced(function* (line: string) {
  const { acme } = yield* Cast
  return yield* (yield* Kubectl).follow(acme.tokens[0], [`--namespace=db-${acme.projectId}`, ...line.split(" ")])
})

const succeeded = ({ code, err, out }: Run) => {
  assert.deepStrictEqual([code, err], [0, ""])
  return out
}

const refused = (run: Run, words: string) => {
  assert.include(run.err, words)
  assert.notStrictEqual(run.code, 0)
}

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

const Ready = Kubectl.layer.pipe(Layer.provideMerge(Clustered))

if (minor === undefined)
  plain.skip("kubectl is not installed, or openssl is not: none of what it does here was tried", () => {})
else {
  layer(Ready, { excludeTestServices: true })(`kubectl 1.${minor}`, (it) => {
    it.effect("applies a manifest twice, shows its objects, and deletes them", () =>
      Effect.gen(function* () {
        const made = succeeded(yield* kubectl(1, "apply -f -", manifest))
        assert.strictEqual(made, "configmap/settings created\ndeployment.apps/front created\n")
        const again = succeeded(yield* kubectl(1, "apply -f -", manifest.replace("green", "red")))
        assert.strictEqual(again, "configmap/settings configured\ndeployment.apps/front unchanged\n")
        const [names, described, server] = yield* Effect.all(
          [
            kubectl(0, "get configmap,deployment -o name"),
            kubectl(0, "describe configmap settings"),
            kubectl(0, "version")
          ],
          { concurrency: "unbounded" }
        )
        const there = "configmap/kube-root-ca.crt\nconfigmap/settings\ndeployment.apps/front\n"
        assert.strictEqual(succeeded(names), there)
        assert.match(succeeded(described), /^Name: +settings\n[^]*color:\n----\nred/)
        assert.strictEqual(server.code, 0, server.err)
        const [kept, ...gone] = yield* Effect.all(
          [kubectl(1, "delete configmap settings"), kubectl(2, "delete configmap/settings deployment/front")],
          { concurrency: 1 }
        )
        refused(
          kept,
          `Insufficient credential tier: DELETE requires tier 2, the caller's credential is tier 1. ${tiers}`
        )
        for (const _ of gone) assert.include(succeeded(_), '"settings" deleted')
      })
    )

    it.effect("watches, and follows a log, until it exits", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { world } = yield* SimulatedCloud
        yield* runningPod("web")
        const log = { namespace: `db-${acme.projectId}`, pod: "web", container: "main" }
        writeLog(world.kubernetes, log, "one\n", yield* Clock.currentTimeMillis)
        assert.strictEqual(succeeded(yield* kubectl(0, "logs web")), "one\n")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const watched = yield* following("get configmaps --watch-only -o name")
            const logged = yield* following("logs --follow web")
            yield* waitFor(() => assert.strictEqual(followers(world.kubernetes), 2))
            yield* kubectl(1, "create configmap seen")
            writeLog(world.kubernetes, log, "two\n", yield* Clock.currentTimeMillis)
            yield* waitFor(() => assert.deepStrictEqual([watched(), logged()], ["configmap/seen\n", "one\ntwo\n"]))
          })
        )
        yield* waitFor(() => assert.strictEqual(followers(world.kubernetes), 0))
      })
    )

    it.effect("prints the gateway's reason of a refusal", () =>
      Effect.gen(function* () {
        const { globex } = yield* Cast
        const runs = yield* Effect.all(
          {
            write: kubectl(0, "create configmap x"),
            secrets: kubectl(0, "get secrets"),
            nodes: kubectl(2, "get nodes"),
            everywhere: kubectl(2, "get pods --all-namespaces"),
            elsewhere: kubectl(2, `get pods --namespace=db-${globex.projectId}`),
            quota: kubectl(1, "create quota mine --hard=pods=1"),
            absent: kubectl(0, "get pod none"),
            garbage: Effect.flatMap(Kubectl, (_) => _.run("garbage", ["get", "pods"]))
          },
          { concurrency: 4 }
        )
        refused(
          runs.write,
          `Insufficient credential tier: POST requires tier 1, the caller's credential is tier 0. ${tiers}`
        )
        refused(runs.secrets, "(Forbidden): Insufficient credential tier: GET of secrets requires tier 1")
        for (const run of [runs.nodes, runs.everywhere, runs.elsewhere]) refused(run, ": Not Found")
        refused(runs.quota, "are kept by the platform")
        refused(runs.absent, 'Error from server (NotFound): pods "none" not found')
        refused(runs.garbage, "You must be logged in to the server")
      })
    )

    it.effect("runs commands over WebSocket; an older one uses SPDY, which this API server lacks", () =>
      Effect.gen(function* () {
        yield* runningPod("shell")
        const [run, kept] = yield* Effect.all(
          [attentive("exec shell -- echo hi"), kubectl(0, "exec shell -- echo hi")],
          {
            concurrency: 2
          }
        )
        // By default since 1.31, and before that if it is told so.
        if (minor >= 31 || run.code === 0) assert.strictEqual(succeeded(run), "hi\n")
        else refused(run, "Error from server (BadRequest): Upgrade request required")
        refused(kept, "requires tier 1, the caller's credential is tier 0")
      })
    )

    it.effect("shows a platform administrator the whole cluster", () =>
      Effect.gen(function* () {
        const { run } = yield* Kubectl
        const [nodes, roles] = yield* Effect.all(
          [run(operator, ["get", "nodes", "-o", "name"]), run(operator, ["auth", "can-i", "*", "*"])],
          { concurrency: 2 }
        )
        assert.strictEqual(succeeded(nodes), "node/node-1\n")
        assert.strictEqual(roles.out, "yes\n")
      })
    )

    it.effect("applies docs/operators/kubernetes.md, which has all the objects a gateway needs, no more", () =>
      Effect.gen(function* () {
        const { run } = yield* Kubectl
        const { call } = yield* TestGateway
        const text = readFileSync(new URL("../../../../docs/operators/kubernetes.md", import.meta.url), "utf8")
        // The simulated cluster has an account of that name already, which may do everything.
        const objects = [...text.matchAll(/```yaml\n([^]*?)```/g)]
          .map(([, _]) => _?.replaceAll("portico-gateway", "least"))
          .join("---\n")
        const applied = yield* run(operator, ["apply", "--filename=-"], objects)
        assert.strictEqual(applied.code, 0, applied.err)
        const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }
        const path = "/v1/kubernetes/api/v1/namespaces/portico/serviceaccounts/least/token"
        const minted = jsonOf(yield* call("operator", "POST", path, { token: operator, body }))
        yield* servedBy(String(minted.status.token))
      })
    )
  })
}

/** What the documented objects are for, through another gateway whose token this is. */
const servedBy = Effect.fnUntraced(function* (token: string) {
  const settings = Effect.map(ClusterTap.settings, (_) => ({ ..._, KUBERNETES_TOKEN: token }))
  yield* Effect.gen(function* () {
    const { call } = yield* TestGateway
    const initech = yield* tenant("Initech")
    const own = `/namespaces/db-${initech.projectId}`
    const table = [
      [initech.tokens[0], "GET", `/api/v1${own}/configmaps`, 404],
      [initech.tokens[1], "POST", `/api/v1${own}/configmaps`, 201],
      [initech.tokens[0], "GET", `/api/v1${own}/configmaps/mine`, 200],
      [initech.tokens[1], "GET", `/api/v1${own}/secrets`, 200],
      [initech.tokens[0], "GET", `/apis/postgresql.cnpg.io/v1${own}/clusters`, 200],
      [initech.tokens[2], "DELETE", `/api/v1${own}/configmaps/mine`, 200],
      [operator, "GET", "/api/v1/nodes", 200],
      [operator, "GET", "/", 200]
    ] as const
    for (const [caller, method, path, status] of table) {
      const body = method === "POST" ? { metadata: { name: "mine" } } : undefined
      const answer = yield* call("operator", method, `/v1/kubernetes${path}`, { token: caller, body })
      assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text}`)
    }
    const { url } = yield* Server
    for (const path of ["/api/v1/namespaces", `/api/v1${own}/configmaps`, `/api/v1${own}/secrets`, "/"]) {
      assert.strictEqual((yield* send(url, "GET", `/kubernetes${path}`, { token })).status, 403, path)
    }
  }).pipe(Effect.provide(Layer.fresh(TestGateway.layerOf(settings))))
})
