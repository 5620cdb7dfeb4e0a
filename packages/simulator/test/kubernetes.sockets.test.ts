import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { followers } from "@portico/simulator/kubernetes/hub"
import * as Persistence from "@portico/simulator/Persistence"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { NodeFileSystem } from "@effect/platform-node"
import { until } from "@portico/testing/clock"
import { Effect, FileSystem, Layer, Queue } from "effect"
import { once } from "node:events"
import { request } from "node:http"
import { WebSocket } from "ws"
import { configMap, eventsOf, headersOf, kube, namespaceOf, podOf } from "./kube.ts"

const v1 = "/api/v1/namespaces/default"
const OverSockets = Server.layer({ port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory))

const running = Effect.gen(function* () {
  yield* kube("POST", `${v1}/pods`, { json: podOf("web") })
  yield* (yield* SimulatedCloud).advance(3)
})

const open = Effect.fnUntraced(function* (path: string, protocols: ReadonlyArray<string>, headers = {}) {
  const { url } = yield* Server
  const socket = new WebSocket(`${url.replace("http", "ws")}/kubernetes${path}`, [...protocols], {
    headers: { ...headersOf({}), ...headers }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.terminate()))
  const frames: Array<Buffer> = []
  socket.on("message", (frame: Buffer) => frames.push(frame))
  return { socket, frames }
})

/** What came on one channel, as text. */
const on = (frames: ReadonlyArray<Buffer>, channel: number) =>
  Buffer.concat(frames.filter((_) => _[0] === channel).map((_) => _.subarray(1))).toString()

const frame = (channel: number, text: string) => Buffer.concat([Buffer.from([channel]), Buffer.from(text)])

/** The answer to a handshake that was refused. */
const refusal = (socket: WebSocket) =>
  Effect.callback<{ status: number | undefined; json: { message: string } }>((resume) => {
    socket.on("error", () => undefined)
    socket.once("unexpected-response", (_, response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode, json: JSON.parse(Buffer.concat(chunks).toString()) }))
      )
    })
  })

it.live("a command runs over a WebSocket, with separate streams and its status in the last one", () =>
  Effect.gen(function* () {
    yield* running
    const table = [
      [["echo", "a", "b"], "a b\n", "", { metadata: {}, status: "Success" }],
      [["false"], "", "", "1"],
      [["exit", "3"], "", "", "3"],
      [["rm", "-rf", "/"], "", "rm: command not found\n", "127"]
    ] as const
    for (const [command, stdout, stderr, end] of table) {
      const query = command.map((_) => `command=${encodeURIComponent(_)}`).join("&")
      const { frames, socket } = yield* open(`${v1}/pods/web/exec?${query}&stdout=true`, ["v4.channel.k8s.io"])
      yield* Effect.promise(() => once(socket, "close"))
      assert.strictEqual(socket.protocol, "v4.channel.k8s.io")
      const last = JSON.parse(on(frames, 3))
      assert.deepStrictEqual([on(frames, 1), on(frames, 2)], [stdout, stderr])
      if (typeof end !== "string") assert.deepStrictEqual(last, end)
      else
        assert.deepInclude(last, {
          reason: "NonZeroExitCode",
          details: { causes: [{ reason: "ExitCode", message: end }] }
        })
    }
    const path = `${v1}/pods/web/exec?command=cat&stdin=true`
    const { frames, socket } = yield* open(path, ["v5.channel.k8s.io", "v4.channel.k8s.io"])
    yield* Effect.promise(() => once(socket, "open"))
    socket.send(frame(0, "hello"))
    socket.send(Buffer.from([255, 0]))
    yield* Effect.promise(() => once(socket, "close"))
    assert.deepStrictEqual([socket.protocol, on(frames, 1)], ["v5.channel.k8s.io", "hello"])
    assert.strictEqual(JSON.parse(on(frames, 3)).status, "Success")
  }).pipe(Effect.scoped, Effect.provide(OverSockets))
)

it.live("a port is forwarded in frames that begin with its channel number", () =>
  Effect.gen(function* () {
    yield* running
    const { frames, socket } = yield* open(`${v1}/pods/web/portforward?ports=8080`, ["portforward.k8s.io"])
    yield* Effect.promise(() => once(socket, "open"))
    const echoed = once(socket, "message")
    socket.send(frame(0, "ping"))
    yield* Effect.promise(() => echoed)
    yield* until(Effect.sync(() => on(frames, 0).endsWith("ping")))
    assert.deepStrictEqual([...(frames[0] ?? [])], [0, 0x90, 0x1f])
    assert.strictEqual(frames.at(-1)?.subarray(1).toString(), "ping")
  }).pipe(Effect.scoped, Effect.provide(OverSockets))
)

it.live("an exec without the right is refused over HTTP, before the upgrade", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "view")
    const path = "/api/v1/namespaces/acme/pods/web/exec?command=cat"
    const protocols = ["v5.channel.k8s.io"]
    const told = Effect.fnUntraced(function* (
      headers: Readonly<Record<string, string>>,
      of = path,
      offered = protocols
    ) {
      const { socket } = yield* open(of, offered, headers)
      const { json, status } = yield* refusal(socket)
      return [status, json.message]
    })
    assert.deepStrictEqual(yield* told({ authorization: "Bearer none" }), [401, "Unauthorized"])
    const forbidden =
      'pods "web" is forbidden: User "ann" cannot get resource "pods/exec" in API group "" in the namespace "acme"'
    assert.deepStrictEqual(yield* told({ "impersonate-user": "ann" }), [403, forbidden])
    assert.deepStrictEqual(yield* told({}), [404, 'pods "web" not found'])
    yield* kube("POST", "/api/v1/namespaces/acme/pods", { json: podOf("web") })
    assert.include(String((yield* told({}))[1]), 'unable to upgrade connection: container not found ("app")')
    assert.include(String((yield* told({}, path, ["spdy"]))[1]), "unable to negotiate protocol")
    assert.strictEqual((yield* kube("GET", path)).json.message, "Upgrade request required")
  }).pipe(Effect.scoped, Effect.provide(OverSockets))
)

it.live("SPDY is not supported, and asking for it does no harm", () =>
  Effect.gen(function* () {
    yield* running
    const { url } = yield* Server
    const answer = yield* Effect.callback<{ status: number | undefined; text: string }>((resume) => {
      request(
        `${url}/kubernetes${v1}/pods/web/exec?command=cat`,
        {
          method: "POST",
          headers: {
            ...headersOf({}),
            connection: "Upgrade",
            upgrade: "SPDY/3.1",
            "x-stream-protocol-version": "v4.channel.k8s.io"
          }
        },
        (response) => {
          let text = ""
          response.on("data", (chunk: Buffer) => (text += chunk.toString()))
          response.on("end", () => resume(Effect.succeed({ status: response.statusCode, text })))
        }
      ).end()
    })
    assert.deepStrictEqual([answer.status, JSON.parse(answer.text).message], [400, "Upgrade request required"])
  }).pipe(Effect.provide(OverSockets))
)

it.live("a watch arrives line by line while connected, and stops when the client disconnects", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const { url } = yield* Server
    const gone = new AbortController()
    const response = yield* Effect.promise(() =>
      fetch(`${url}/kubernetes${v1}/configmaps?watch=true&resourceVersion=0`, {
        headers: headersOf({}),
        signal: gone.signal
      })
    )
    assert.strictEqual(response.headers.get("transfer-encoding"), "chunked")
    const lines = yield* Queue.unbounded<string>()
    void (async () => {
      for await (const chunk of response.body ?? []) Queue.offerUnsafe(lines, Buffer.from(chunk).toString())
    })().catch(() => undefined)
    const [first] = eventsOf(yield* Queue.take(lines))
    assert.strictEqual(first?.object.metadata.name, "kube-root-ca.crt")
    yield* kube("POST", `${v1}/configmaps`, { json: configMap("a") })
    const [second] = eventsOf(yield* Queue.take(lines))
    assert.deepStrictEqual([second?.type, second?.object.metadata.name], ["ADDED", "a"])
    assert.strictEqual(followers(world.kubernetes), 1)
    gone.abort()
    yield* until(Effect.sync(() => followers(world.kubernetes) === 0))
  }).pipe(Effect.provide(OverSockets))
)

it.live("the cluster is shown by kind, can be written from outside, and outlives its process", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/cloud.json`
      const Saved = Server.layer({ port: 0 }).pipe(Layer.provideMerge(Persistence.layer(file)))
      yield* Effect.gen(function* () {
        const { url } = yield* Server
        yield* running
        const log = { namespace: "default", pod: "web", container: "app", text: "hello\n" }
        const written = yield* Effect.promise(() =>
          fetch(`${url}/cloud/kubernetes/logs`, { method: "POST", body: JSON.stringify(log) })
        )
        assert.strictEqual(written.status, 204)
        const wrong = yield* Effect.promise(() => fetch(`${url}/cloud/kubernetes/logs`, { method: "POST", body: "{}" }))
        assert.strictEqual(wrong.status, 400)
        yield* kube("DELETE", `${v1}/configmaps/none`)
      }).pipe(Effect.provide(Saved))
      yield* Effect.gen(function* () {
        const state = yield* (yield* SimulatedCloud).state
        assert.lengthOf(state["kubernetes.pods"] ?? [], 1)
        assert.deepStrictEqual(state["kubernetes.clusters.postgresql.cnpg.io"], [])
        assert.lengthOf(
          (state["kubernetes.serviceaccounts"] ?? []).filter((_) =>
            JSON.stringify(_).includes(fixtures.kubernetes.serviceAccount)
          ),
          1
        )
        assert.strictEqual((yield* kube("GET", `${v1}/pods/web/log`)).body, "hello\n")
      }).pipe(Effect.provide(Saved))
    })
  ).pipe(Effect.provide(NodeFileSystem.layer))
)
