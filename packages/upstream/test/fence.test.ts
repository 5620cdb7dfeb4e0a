import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { Fence } from "../src/Fence.ts"
import * as System from "../src/System.ts"

const requests = {
  read: HttpClientRequest.get("/things"),
  find: HttpClientRequest.get("/things"),
  write: HttpClientRequest.post("/things"),
  send: HttpClientRequest.put("/things"),
  remove: HttpClientRequest.delete("/things")
}

/** A system that counts what it is sent. */
const stage = () => {
  const sent: Array<string> = []
  const client = HttpClient.make((request) => {
    sent.push(request.method)
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}")))
  })
  const system = System.make(client, { upstream: "dns", url: "http://dns.test", authorize: Effect.succeed })
  const calls = {
    read: system.read("read", requests.read, Schema.Unknown),
    find: system.find("find", requests.find, Schema.Unknown),
    write: system.write("write", requests.write, Schema.Unknown),
    send: system.send("send", requests.send),
    remove: system.remove("remove", requests.remove)
  }
  return { sent, calls }
}

it.effect("a process that has lost its lease sends no write, but still reads", () =>
  Effect.gen(function* () {
    const { calls, sent } = stage()
    for (const call of [calls.write, calls.send, calls.remove]) {
      const error = yield* Effect.flip(Effect.provideService(call, Fence, Effect.succeed(false)))
      assert.strictEqual(error.detail, "nothing was sent: another process has taken the operation over")
      assert.deepStrictEqual([error.transient, error.unsettled], [false, false])
    }
    assert.deepStrictEqual(sent, [])
    yield* Effect.provideService(Effect.andThen(calls.read, calls.find), Fence, Effect.succeed(false))
    assert.deepStrictEqual(sent, ["GET", "GET"])
  })
)

it.effect("a process that holds its lease sends writes, as do calls without a lease", () =>
  Effect.gen(function* () {
    const { calls, sent } = stage()
    let asked = 0
    const held = Effect.sync(() => ++asked > 0)
    for (const call of [calls.write, calls.send, calls.remove]) yield* Effect.provideService(call, Fence, held)
    yield* calls.write
    assert.deepStrictEqual(sent, ["POST", "PUT", "DELETE", "POST"])
    assert.strictEqual(asked, 3)
  })
)
