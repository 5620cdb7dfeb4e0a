import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eventually } from "../processes/children.ts"
import { dialled, streamed } from "./ClusterStream.ts"
import { cluster, ClusterTap, clusteredWith, home } from "./ClusterTap.ts"
import { jsonOf } from "../harness/TestGateway.ts"

// What ends connections here are timers of Node and of the HTTP client, which no clock of a test moves.

/** The namespace is there. */
const used = Effect.gen(function* () {
  yield* cluster("POST", `${yield* home}/configmaps`, { body: { metadata: { name: "used" } } })
  return `${yield* home}/configmaps`
})

/** The shortest that the settings can say; what stands still has three times as long. */
const impatient = { PROXY_ANSWER_SECONDS: "1", PROXY_IDLE_SECONDS: "1", KUBERNETES_IDLE_SECONDS: "3" }

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

layer(clusteredWith(impatient), { excludeTestServices: true })("timeouts", (it) => {
  it.effect("to an API server that does not respond end first, and of stalled streams last", () =>
    Effect.gen(function* () {
      const path = yield* used
      const tap = yield* ClusterTap
      const givenUp = new Set<string | undefined>()
      const exec = `${yield* home}/pods/web/exec?command=id`
      yield* tap.script(({ url = "" }, to) => {
        if (url.endsWith("slow")) return
        to.writeHead(200).write("first\n")
        if (!url.endsWith("lively") && !url.endsWith("unread")) return
        const piece = url.endsWith("lively") ? "beat\n" : Buffer.alloc(1024 * 1024)
        const beat = setInterval(() => to.write(piece), 50)
        to.once("close", () => {
          clearInterval(beat)
          givenUp.add(url.split("=").at(-1))
        })
      })
      yield* tap.scriptUpgrade(({ url = "" }, socket) => {
        socket.resume()
        if (url.endsWith("agree")) socket.write(switching)
      })
      const slow = yield* Effect.forkChild(
        Effect.all([cluster("GET", `${path}?slow`), dialled(exec)], { concurrency: 2 })
      )
      const stuck = yield* streamed(`${path}?watch=0`)
      const lively = yield* streamed(`${path}?watch=lively`)
      const silent = yield* streamed(`${path}?watch=silent`)
      const joined = yield* dialled(`${exec}&agree`)
      const left = yield* dialled(`${exec}&agree`)
      left.socket.end()
      const unread = yield* streamed(`${path}?watch=unread`)
      yield* unread.pause

      const [list, command] = yield* Fiber.join(slow)
      assert.deepStrictEqual([list.status, jsonOf(list).message], [502, "kubernetes: no answer in time"])
      assert.strictEqual(command.status, 502)
      yield* eventually(Effect.sync(() => assert.deepStrictEqual([stuck.text(), stuck.over()], ["first\n", "broken"])))
      assert.deepStrictEqual([joined.status, joined.over(), silent.over()], [101, undefined, undefined])
      // Whose client has said its last word has two seconds.
      yield* eventually(Effect.sync(() => assert.isDefined(left.over())))
      assert.deepStrictEqual([joined.over(), silent.over()], [undefined, undefined])
      yield* eventually(
        Effect.sync(() => {
          assert.deepStrictEqual([silent.text(), silent.over()], ["first\n", "broken"])
          assert.isDefined(joined.over())
        })
      )
      assert.isUndefined(lively.over())
      assert.isAbove(lively.text().split("\n").length, 30)
      yield* lively.hangUp
      // Who reads nothing may take up to twice as long.
      yield* eventually(Effect.sync(() => assert.isTrue(givenUp.has("unread"))))
    })
  )
})
