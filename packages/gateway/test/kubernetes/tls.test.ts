import { NodeFileSystem } from "@effect/platform-node"
import { assert, it as plain, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Console, Effect, FileSystem, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { dialled } from "./ClusterStream.ts"
import { cluster, eventually, home, runningPod } from "./ClusterTap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { hasOpenssl, terminator } from "../harness/Tls.ts"

/**
 * The gateway in front of a cluster that speaks TLS, as every real one does, with an authority of its own; and that
 * would rather speak HTTP/2, which the simulated one does not understand.
 */
const encrypted = (trusts: boolean) =>
  Cast.layer.pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.gen(function* () {
          const cloud = yield* Server
          const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
          const { ca, port } = yield* terminator(directory, cloud.port, ["h2", "http/1.1"])
          return TestGateway.layerOf(
            Effect.succeed({
              ...gatewaySettings(cloud.url),
              KUBERNETES_URL: `https://127.0.0.1:${port}/kubernetes/`,
              ...(trusts ? { KUBERNETES_CA_FILE: ca } : {})
            })
          )
        })
      ).pipe(Layer.orDie, Layer.provide(NodeFileSystem.layer))
    ),
    Layer.provideMerge(TestGateway.cloud)
  )

if (!(await Effect.runPromise(hasOpenssl))) {
  await Effect.runPromise(Console.warn("openssl is not installed: the way to a cluster over TLS is not tried"))
  plain.skip("openssl is not installed", () => {})
} else {
  layer(encrypted(true))("a cluster whose authority is named in a file", (it) => {
    it.effect("is trusted by the gateway's own calls, forwarded calls and upgraded connections", () =>
      Effect.gen(function* () {
        const pod = yield* runningPod("web")
        assert.strictEqual((yield* cluster("GET", pod)).status, 200)
        const headers = { "Sec-WebSocket-Protocol": "v4.channel.k8s.io" }
        const raw = yield* dialled(`${pod}/exec?command=echo&command=hi`, { headers })
        assert.strictEqual(raw.status, 101)
        yield* eventually(Effect.sync(() => assert.include(raw.body().toString("latin1"), "hi\n")))
        raw.socket.destroy()
      })
    )
  })

  layer(encrypted(false), { excludeTestServices: true })("a cluster whose authority is unknown", (it) => {
    it.effect("is not trusted: nothing is sent, and the answer is a 502", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        for (const path of ["/version", `${yield* home}/configmaps`]) {
          const answer = yield* cluster("GET", path, { token: acme.tokens[0] })
          assert.strictEqual(answer.status, 502, path)
          assert.deepInclude(jsonOf(answer), { kind: "Status", code: 502 })
        }
        const words = "kubernetes: no answer: the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)"
        assert.strictEqual(jsonOf(yield* cluster("GET", "/version")).detail, words)
      })
    )
  })
}
