import { assert, it, layer } from "@effect/vitest"
import { NodeFileSystem } from "@effect/platform-node"
import { fixtures } from "@portico/simulator/Fixtures"
import { Cluster } from "@portico/upstream/kubernetes/Cluster"
import { ConfigProvider, Context, Effect, Exit, FileSystem, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { dialled } from "./ClusterStream.ts"
import { cluster, ClusterTap, clusteredWith, eventually, failed, home } from "./ClusterTap.ts"
import { jsonOf } from "../harness/TestGateway.ts"

/** A file that holds a token, as the kubelet mounts one. */
class TokenFile extends Context.Service<
  TokenFile,
  {
    readonly path: string
    write(text: string): Effect.Effect<void>
    readonly remove: Effect.Effect<void>
  }
>()("portico/gateway/test/TokenFile") {
  static readonly layer = Layer.effect(
    TokenFile,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/token`
      const write = (text: string) => Effect.orDie(files.writeFileString(path, text))
      yield* write(fixtures.kubernetes.token)
      return TokenFile.of({ path, write, remove: Effect.orDie(files.remove(path)) })
    })
  ).pipe(Layer.orDie, Layer.provide(NodeFileSystem.layer))
}

const Filed = Layer.unwrap(Effect.map(TokenFile, ({ path }) => clusteredWith({ KUBERNETES_TOKEN_FILE: path }))).pipe(
  Layer.provideMerge(TokenFile.layer)
)

/** From now on the API server accepts this token alone; what each request carried is told. */
const accepting = Effect.fnUntraced(function* (token: string) {
  const tap = yield* ClusterTap
  yield* tap.script((from, to) => {
    const status = from.headers.authorization === `Bearer ${token}` ? 200 : 401
    from.resume().once("end", () => to.writeHead(status).end("fine"))
  })
  yield* tap.scriptUpgrade((from, socket) => {
    const fine = from.headers.authorization === `Bearer ${token}`
    socket.end(`HTTP/1.1 ${fine ? "101 Switching Protocols\r\nUpgrade: websocket" : "401 Unauthorized"}\r\n\r\n`)
  })
  yield* tap.forget
})

const carried = Effect.flatMap(ClusterTap, (_) =>
  Effect.map(_.seen, (all) => all.map(({ headers }) => headers.authorization?.replace("Bearer ", "")))
)

const notAccepted = failed(
  502,
  undefined,
  "upstream_failed",
  "kubernetes: the API server did not accept the gateway's token"
)

layer(Filed)("a token in a file", (it) => {
  it.effect("is read again when it is refused, without the client noticing", () =>
    Effect.gen(function* () {
      const file = yield* TokenFile
      const path = `${yield* home}/configmaps`
      assert.strictEqual((yield* cluster("POST", path, { body: { metadata: { name: "first" } } })).status, 201)

      yield* file.write("second\n")
      yield* accepting("second")
      const answer = yield* cluster("GET", path)
      assert.deepStrictEqual([answer.status, answer.text], [200, "fine"])
      assert.deepStrictEqual(yield* carried, [fixtures.kubernetes.token, "second"])

      // An object may be named as a sub-resource is, whose 401 is that of another server.
      yield* file.write("third")
      yield* accepting("third")
      assert.strictEqual((yield* cluster("GET", `${path}/proxy`)).status, 200)
      assert.deepStrictEqual(yield* carried, ["second", "third"])

      yield* file.write("third-and-a-half")
      yield* accepting("third-and-a-half")
      const raw = yield* dialled(`${yield* home}/pods/web/exec`)
      assert.strictEqual(raw.status, 101)
      assert.deepStrictEqual(yield* carried, ["third", "third-and-a-half"])
      raw.socket.destroy()

      yield* file.write("fourth")
      yield* accepting("fourth")
      const many = yield* Effect.forEach(Array.from({ length: 20 }), () => cluster("GET", path), {
        concurrency: "unbounded"
      })
      for (const { status } of many) assert.strictEqual(status, 200)
    })
  )

  it.effect("is read again after a write whose body was sent, for the next one", () =>
    Effect.gen(function* () {
      const file = yield* TokenFile
      const path = `${yield* home}/configmaps`
      yield* file.write("fifth")
      yield* accepting("fifth")
      const write = cluster("POST", path, { body: { metadata: { name: "x" } } })
      const first = yield* write
      assert.deepStrictEqual([first.status, jsonOf(first)], [502, notAccepted])
      assert.deepStrictEqual(yield* carried, ["fourth"])
      assert.strictEqual((yield* write).status, 200)
      // One without a body is repeated.
      yield* file.write("sixth")
      yield* accepting("sixth")
      assert.strictEqual((yield* cluster("DELETE", `${path}/x`)).status, 200)
    })
  )

  const useless: Readonly<Record<string, Effect.Effect<void, never, TokenFile>>> = {
    "is the same": Effect.void,
    "is not there": Effect.flatMap(TokenFile, (_) => _.remove),
    "is empty": Effect.flatMap(TokenFile, (_) => _.write("\n")),
    "holds an invalid token": Effect.flatMap(TokenFile, (_) => _.write("half a\r\nX-Evil: token"))
  }
  for (const [what, change] of Object.entries(useless)) {
    it.effect(`leads to a 502 when its content then ${what}, after one attempt`, () =>
      Effect.gen(function* () {
        const file = yield* TokenFile
        yield* change
        yield* accepting("nothing")
        const answer = yield* cluster("GET", "/version")
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, notAccepted])
        assert.lengthOf(yield* carried, 1)
        const raw = yield* dialled(`${yield* home}/pods/web/exec`)
        yield* eventually(Effect.sync(() => assert.isDefined(raw.over())))
        assert.deepStrictEqual([raw.status, JSON.parse(raw.body().toString())], [502, notAccepted])
        assert.lengthOf(yield* carried, 2)
        yield* file.write("sixth")
      })
    )
  }

  it.effect("leads to a 502 when the new one is refused too, after two attempts", () =>
    Effect.gen(function* () {
      yield* (yield* TokenFile).write("seventh")
      yield* accepting("nothing")
      const answer = yield* cluster("GET", "/version")
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, notAccepted])
      assert.deepStrictEqual(yield* carried, ["sixth", "seventh"])
    })
  )
})

const configured = (settings: Readonly<Record<string, string>>) =>
  Cluster.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))))

const tokenNow = Effect.gen(function* () {
  const { api } = yield* Cluster
  if (api === undefined) return yield* Effect.die("no cluster")
  return Redacted.value(yield* api.token)
})

it.effect("a token in a file is cached for a minute, and longer while the file is unusable", () =>
  Effect.gen(function* () {
    const file = yield* TokenFile
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* tokenNow, fixtures.kubernetes.token)
      yield* file.write("second")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* tokenNow, fixtures.kubernetes.token)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* tokenNow, "second")
      yield* file.remove
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* tokenNow, "second")
      yield* file.write("third")
      assert.strictEqual(yield* tokenNow, "third")
    }).pipe(
      Effect.provide(configured({ KUBERNETES_URL: "https://cluster.internal", KUBERNETES_TOKEN_FILE: file.path }))
    )
  }).pipe(Effect.provide(TokenFile.layer))
)

it.effect("invalid settings stop the process at start", () =>
  Effect.gen(function* () {
    const url = { KUBERNETES_URL: "https://cluster.internal" }
    const table = [
      [{}, true],
      [{ KUBERNETES_TOKEN: "x" }, true],
      [url, false],
      [{ ...url, KUBERNETES_TOKEN: "x" }, true],
      [{ KUBERNETES_URL: "cluster.internal", KUBERNETES_TOKEN: "x" }, false],
      [{ ...url, KUBERNETES_TOKEN: "x", KUBERNETES_CA_FILE: "/nowhere/ca.crt" }, false]
    ] as const
    for (const [settings, starts] of table) {
      const exit = yield* Effect.exit(Effect.provide(Cluster, configured(settings)))
      assert.strictEqual(Exit.isSuccess(exit), starts, JSON.stringify(settings))
    }
  })
)
