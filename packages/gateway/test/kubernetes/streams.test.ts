import { assert, describe, it, layer } from "@effect/vitest"
import { clusterTarget, isEndless } from "@portico/gateway/proxy/kubernetes/target"
import { followers } from "@portico/simulator/kubernetes/hub"
import { writeLog } from "@portico/simulator/kubernetes/logs"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect, Exit, Fiber, Layer, Result, Scope } from "effect"
import { Cast } from "../harness/Cast.ts"
import { calling, dialled, lines, streamed } from "./ClusterStream.ts"
import { cluster, Clustered, ClusterTap, eventually, home, runningPod } from "./ClusterTap.ts"
import { inTime, settle } from "@portico/testing/clock"
import { TestGateway } from "../harness/TestGateway.ts"

const newConfigMap = Effect.fnUntraced(function* (name: string) {
  const made = yield* cluster("POST", `${yield* home}/configmaps`, { body: { metadata: { name } } })
  assert.strictEqual(made.status, 201, made.text)
})

const written = Effect.fnUntraced(function* (pod: string, text: string) {
  const { acme } = yield* Cast
  const { world } = yield* SimulatedCloud
  const source = { namespace: `db-${acme.projectId}`, pod, container: "main" }
  writeLog(world.kubernetes, source, text, yield* Clock.currentTimeMillis)
})

const namesIn = (events: ReadonlyArray<string>) =>
  events.map((_) => {
    const { object, type } = JSON.parse(_)
    return `${type} ${object.metadata.name}`
  })

const hasFollowers = (count: number) =>
  eventually(
    Effect.gen(function* () {
      assert.strictEqual(followers((yield* SimulatedCloud).world.kubernetes), count)
    })
  )

layer(Clustered)("endless answers", (it) => {
  for (const asks of ["watch=1", "watch=true", "watch", "watch=", "watch=yes&timeoutSeconds=600"]) {
    it.effect(`a watch (${asks}) sends each event, and ends upstream when its client disconnects`, () =>
      Effect.gen(function* () {
        const name = `seen-${asks.replaceAll(/[^a-z]/gi, "-").toLowerCase()}x`
        yield* newConfigMap(`${name}-before`)
        const selector = `fieldSelector=metadata.name%3D${name}`
        const watch = yield* streamed(`${yield* home}/configmaps?${asks}&${selector}`, (yield* Cast).acme.tokens[0])
        assert.deepStrictEqual([watch.status, watch.text()], [200, ""])
        yield* newConfigMap(name)
        assert.deepStrictEqual(namesIn(yield* lines(watch, 1)), [`ADDED ${name}`])
        yield* cluster("DELETE", `${yield* home}/configmaps/${name}`)
        assert.deepStrictEqual(namesIn(yield* lines(watch, 2)), [`ADDED ${name}`, `DELETED ${name}`])
        assert.isUndefined(watch.over())
        yield* hasFollowers(1)
        yield* watch.hangUp
        yield* hasFollowers(0)
      })
    )
  }

  it.effect("a watch that the API server ends is ended", () =>
    Effect.gen(function* () {
      yield* newConfigMap("for-a-second")
      const watch = yield* streamed(`${yield* home}/configmaps?watch=1&timeoutSeconds=1`)
      yield* eventually(Effect.sync(() => assert.strictEqual(watch.over(), "ended")))
    })
  )

  it.effect("a followed log arrives line by line, and ends with its pod", () =>
    Effect.gen(function* () {
      const pod = yield* runningPod("web")
      yield* written("web", "one\n")
      const log = yield* streamed(`${pod}/log?follow=true`, (yield* Cast).acme.tokens[0])
      assert.deepStrictEqual(yield* lines(log, 1), ["one"])
      yield* written("web", "two\n")
      assert.deepStrictEqual(yield* lines(log, 2), ["one", "two"])
      assert.isUndefined(log.over())
      const left = yield* streamed(`${pod}/log?follow=1`)
      yield* hasFollowers(2)
      yield* left.hangUp
      yield* hasFollowers(1)
      yield* cluster("DELETE", `${pod}?gracePeriodSeconds=0`)
      yield* eventually(Effect.sync(() => assert.strictEqual(log.over(), "ended")))
    })
  )

  it.effect("an API server that breaks off breaks off the client's answer", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      let breakOff = () => {}
      yield* newConfigMap("for-a-break")
      yield* tap.script((_, to) => {
        to.writeHead(200, { "content-type": "application/json" })
        to.write('{"type":"ADDED"}\n', () => void (breakOff = () => to.destroy()))
      })
      const watch = yield* streamed(`${yield* home}/configmaps?watch=1`)
      assert.deepStrictEqual(yield* lines(watch, 1), ['{"type":"ADDED"}'])
      breakOff()
      yield* eventually(Effect.sync(() => assert.strictEqual(watch.over(), "broken")))
      yield* tap.script()
    })
  )
})

describe("answers treated as endless", () => {
  const pods = "/v1/kubernetes/api/v1/namespaces/db-1/pods"
  const endless = {
    yes: [
      "?watch",
      "?watch=",
      "?watch=1",
      "?watch=TRUE",
      "?watch=no",
      "?w=1&watch=t",
      "/web/log?follow=1",
      "/web/proxy/x"
    ],
    no: [
      "",
      "?watch=0",
      "?watch=False",
      "?watched=1",
      "?labelSelector=watch%3D1",
      "/web/log?follow=false",
      "/web/log",
      // Names of pods.
      "/proxy",
      "/watch",
      "/proxy/log"
    ]
  }
  for (const [answer, ends] of Object.entries(endless)) {
    for (const end of ends) {
      it(`${end === "" ? "a list" : end}: ${answer}`, () => {
        const target = Result.getOrThrow(clusterTarget(`${pods}${end}`))
        assert.strictEqual(isEndless(target), answer === "yes")
      })
    }
  }

  const elsewhere = {
    "/api/v1/watch/namespaces/db-1/pods": true,
    "/apis/apps/v1/watch/deployments": true,
    "/api/v1/watch/nodes/proxy": true,
    "/api/v1/nodes/node-1/proxy/stats": true,
    "/api/v1/namespaces/db-1/services/web/proxy": true,
    "/apis/things.example/v1/namespaces/db-1/things/one/proxy/x": true,
    "/apis/apps/v1/namespaces/db-1/deployments/watch": false,
    "/api/v1/nodes/proxy": false,
    "/api/v1/namespaces/proxy": false,
    "/api/v1/namespaces/watch/pods/web": false,
    "/apis/apps/v1/namespaces/proxy/deployments/proxy/scale": false
  }
  for (const [path, expected] of Object.entries(elsewhere)) {
    it(`${path}: ${expected ? "yes" : "no"}`, () => {
      assert.strictEqual(isEndless(Result.getOrThrow(clusterTarget(`/v1/kubernetes${path}`))), expected)
    })
  }
})

/** How somebody can leave in the middle, for the count of connections that stay. */
const leavings: Readonly<Record<string, (n: number) => Effect.Effect<void, never, Cast | TestGateway | ClusterTap>>> = {
  "a watch": Effect.fnUntraced(function* () {
    const watch = yield* streamed(`${yield* home}/configmaps?watch=1`)
    yield* watch.hangUp
  }),
  "a log": Effect.fnUntraced(function* () {
    const log = yield* streamed(`${yield* home}/pods/leaky/log?follow=1`)
    yield* log.hangUp
  }),
  "a command": Effect.fnUntraced(function* () {
    const { socket, status } = yield* dialled(`${yield* home}/pods/leaky/exec?command=cat&stdin=1`, {
      headers: { "Sec-WebSocket-Protocol": "v5.channel.k8s.io" }
    })
    assert.strictEqual(status, 101)
    socket.destroy()
  }),
  "a command that did not start yet": Effect.fnUntraced(function* (n) {
    const tap = yield* ClusterTap
    yield* tap.scriptUpgrade((_, socket) => void socket.resume().once("end", () => socket.destroy()))
    const socket = yield* calling(`${yield* home}/pods/leaky/exec?command=cat&n=${n}`)
    const asked = `${yield* home}/pods/leaky/exec?command=cat&n=${n}`
    yield* eventually(Effect.map(tap.seen, (_) => assert.isTrue(_.some(({ url }) => url === asked))))
    socket.destroy()
  }),
  "a command that is refused": Effect.fnUntraced(function* () {
    const { socket } = yield* dialled(`${yield* home}/pods/none/exec?command=cat`, {
      headers: { "Sec-WebSocket-Protocol": "v5.channel.k8s.io" }
    })
    socket.destroy()
  }),
  "a refusal that does not end": Effect.fnUntraced(function* () {
    const tap = yield* ClusterTap
    yield* tap.scriptUpgrade((_, socket) => {
      socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno, because")
      socket.resume().once("end", () => socket.destroy())
    })
    const { socket, status } = yield* dialled(`${yield* home}/pods/leaky/exec?command=cat`)
    assert.strictEqual(status, 403)
    socket.destroy()
  }),
  "an answer that has no head yet": Effect.fnUntraced(function* () {
    const tap = yield* ClusterTap
    yield* tap.script(() => {})
    const { acme } = yield* Cast
    yield* Effect.raceFirst(streamed(`${yield* home}/configmaps`, acme.tokens[0]), settle)
  })
}

layer(Clustered)("no upstream connection remains", (it) => {
  for (const [what, leave] of Object.entries(leavings)) {
    it.effect(`of 200 clients that leave ${what}`, () =>
      Effect.gen(function* () {
        const tap = yield* ClusterTap
        yield* tap.script()
        yield* tap.scriptUpgrade()
        const there = yield* cluster("GET", `${yield* home}/pods/leaky`)
        if (there.status !== 200) yield* runningPod("leaky")
        const before = yield* tap.connections
        yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n),
          leave,
          { concurrency: 20, discard: true }
        )
        yield* eventually(Effect.map(tap.connections, (_) => assert.isAtMost(_, before)))
        yield* hasFollowers(0)
      })
    )
  }
})

/** A gateway that a test stops; the cluster and its tap stay. */
const Stoppable = Cast.layer.pipe(Layer.provideMerge(TestGateway.layerOf(ClusterTap.settings)))

layer(ClusterTap.layer.pipe(Layer.provideMerge(TestGateway.cloud)))("a gateway that stops", (it) => {
  it.effect("ends watches, logs and commands at once, on both sides, and lets the rest finish", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const gateway = yield* Layer.buildWithScope(Stoppable, scope)
      yield* Effect.gen(function* () {
        const tap = yield* ClusterTap
        const pod = yield* runningPod("web")
        const watch = yield* streamed(`${yield* home}/configmaps?watch=1`)
        const log = yield* streamed(`${pod}/log?follow=1`)
        const raw = yield* dialled(`${pod}/exec?command=cat&stdin=1`, {
          headers: { "Sec-WebSocket-Protocol": "v5.channel.k8s.io" }
        })
        assert.deepStrictEqual([watch.status, log.status, raw.status], [200, 200, 101])
        yield* hasFollowers(2)
        let finish = () => {}
        yield* tap.script((_, to) => void (finish = () => to.end("whole")))
        yield* tap.forget
        const plain = yield* Effect.forkChild(cluster("GET", `${yield* home}/configmaps`))
        yield* eventually(Effect.map(tap.seen, (_) => assert.lengthOf(_, 1)))

        const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* eventually(Effect.sync(() => assert.deepStrictEqual([watch.over(), log.over()], ["broken", "broken"])))
        yield* eventually(Effect.sync(() => assert.isDefined(raw.over())))
        yield* hasFollowers(0)
        finish()
        assert.strictEqual((yield* Fiber.join(plain)).text, "whole")
        yield* inTime(Fiber.join(stopping))
        yield* eventually(Effect.map(tap.connections, (_) => assert.strictEqual(_, 0)))
      }).pipe(Effect.provide(gateway))
    })
  )
})
