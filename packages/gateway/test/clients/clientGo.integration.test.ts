import { assert, it as plain, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { named } from "../parts/parts.ts"
import { ranAlone } from "./clients.ts"
import { built, hasClientGo } from "./goClients.ts"
import { blockIn, settings, Stage, storyOf, tooLow, versionsOnPage } from "./stage.ts"

const name = named(
  "client-go works in the tenant's namespace, and there alone",
  "scripts/parts/kubernetes.sh",
  hasClientGo
)

if (!hasClientGo) plain.skip(name, () => {})
else {
  layer(Stage, { excludeTestServices: true })("in front of the gateway", (it) => {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { globex } = yield* Cast
        const { path, program } = yield* built({
          "main.go": blockIn("client-go", "go"),
          "cluster.go": storyOf("cluster.go")
        })
        // Informers ask for lists by a watch from 0.35 on, and before when they are told to.
        const more = { FOREIGN: `db-${globex.projectId}`, KUBE_FEATURE_WatchListClient: "true" }
        const { code, stderr, stdout } = yield* ranAlone(path, [program], { ...(yield* settings), ...more })
        assert.strictEqual(code, 0, stderr)
        assert.deepStrictEqual(JSON.parse(stdout), {
          version: `v${versionsOnPage.get("client-go")}`,
          patched: { color: "red" },
          applied: { color: "red", size: "8" },
          conflict: true,
          watched: ["ADDED", "seen"],
          scaled: 2,
          discovered: ["apps/v1 deployments/scale", "coordination.k8s.io/v1 leases", "v1 configmaps"],
          dynamic: { color: "red", size: "8" },
          executed: "hi",
          spdy: "Upgrade request required",
          informed: ["added go", "added seen", "added later", "changed later", "deleted later"],
          calls: ["watch list 200"],
          led: ["first", "second"],
          everywhere: [404, "Not Found"],
          nodes: [404, "Not Found"],
          foreign: [404, "Not Found"],
          reader: [403, tooLow("POST", 1, 0)],
          left: ["go", "kube-root-ca.crt"]
        })
      }).pipe(Effect.scoped)
    )
  })
}
