import { assert, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { repeatInTime, settle, until } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { Cast } from "../harness/Cast.ts"
import { odd, Tapped } from "./odd.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const oddCalls = Effect.map(
  Effect.flatMap(Tap, (_) => _.seen),
  (seen) => seen.filter((_) => _.url.startsWith("/odd/"))
)

const unauthorized = (to: ServerResponse): void => {
  to.writeHead(401, { "www-authenticate": 'Keystone uri="http://identity.internal:5000"' })
  to.end('{"error": {"code": 401, "message": "The request you have made requires authentication."}}')
}

const notAccepted = {
  detail: "dns: the platform did not accept the gateway's token",
  code: "upstream_failed",
  transient: true
}

layer(Tapped)("a token that the platform refuses", (it) => {
  it.effect("is replaced once, without the client noticing", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      const refused: Array<unknown> = []
      yield* tap.script((from, to) => {
        const token = from.headers["x-auth-token"]
        if (refused.length === 0) refused.push(token)
        if (refused.includes(token)) unauthorized(to)
        else to.end("fine")
      })
      yield* tap.forget
      const answer = yield* odd("GET", "/recordsets")
      assert.deepStrictEqual([answer.status, answer.text], [200, "fine"])
      assert.strictEqual((yield* oddCalls).length, 2)
      // And the next call begins with the good one.
      assert.strictEqual((yield* odd("DELETE", "/zones/1")).status, 200)
      assert.strictEqual((yield* oddCalls).length, 3)
    })
  )

  it.effect("is a 502 when it is refused twice, without the upstream's 401", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((_, to) => unauthorized(to))
      yield* tap.forget
      const answer = yield* odd("GET", "/recordsets")
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, notAccepted])
      assert.notProperty(answer.headers, "www-authenticate")
      assert.strictEqual((yield* oddCalls).length, 2)
      assert.notStrictEqual(...(tokens(yield* oddCalls) as [unknown, unknown]))
    })
  )

  it.effect("with a body is a 502, since a stream is sent once; the next call has a fresh token", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((_, to) => unauthorized(to))
      for (const chunked of [false, true]) {
        yield* tap.forget
        const answer = yield* odd("POST", "/recordsets", { body: { zone: {} }, chunked })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, notAccepted])
        const [refused] = tokens(yield* oddCalls)
        yield* tap.script((from, to) =>
          from.headers["x-auth-token"] === refused ? unauthorized(to) : void from.pipe(to)
        )
        yield* tap.forget
        const next = yield* odd("POST", "/recordsets", { body: "again", chunked })
        assert.deepStrictEqual([next.status, next.text], [200, "again"])
        yield* tap.script((_, to) => unauthorized(to))
      }
    })
  )

  it.effect("after a part of a long body is a 502 too, and later calls succeed", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      const body = Buffer.alloc(5 * 1024 * 1024, "x")
      for (const chunked of [false, true]) {
        yield* tap.script((from, to) => {
          from.once("data", () => unauthorized(to))
        })
        const answer = yield* odd("PUT", "/recordsets", { body, chunked })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, notAccepted])
        yield* tap.script((from, to) => void from.resume().once("end", () => to.end("all of it")))
        assert.strictEqual((yield* odd("PUT", "/recordsets", { body, chunked })).text, "all of it")
      }
    })
  )

  it.effect("is hidden for the simulated services too", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "nova",
        method: "GET",
        path: "/**",
        times: "always",
        when: "before",
        as: { status: 401 }
      })
      const answer = yield* call("customer", "GET", "/v1/iaas/compute/servers", { token: acme.tokens[0] })
      assert.strictEqual(answer.status, 502)
      yield* cloud.clearFaults
      const after = yield* call("customer", "GET", "/v1/iaas/compute/servers", { token: acme.tokens[0] })
      assert.strictEqual(after.status, 200)
    })
  )
})

const tokens = (seen: ReadonlyArray<{ readonly headers: IncomingMessage["headers"] }>) =>
  seen.map((_) => _.headers["x-auth-token"])

layer(Tapped)("data that a rule reads", (it) => {
  it.effect("is limited in size and must be JSON; otherwise the call is not forwarded", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      const open = { direction: "ingress", remote_address_group_id: "5d27bdb6-1c1c-4b1c-8f0a-000000000001" }
      const body = { security_group_rule: { security_group_id: "none", ...open } }
      const many = Array.from({ length: 200_000 }, () => "192.0.2.1/32")
      for (const [as, detail] of [
        [{ status: 200, body: { address_group: { addresses: many } } }, "network: no answer of at most 2097152 bytes"],
        ["garbage", "network: no JSON"]
      ] as const) {
        yield* cloud.fault({ service: "neutron", method: "GET", path: "/v2.0/address-groups/*", when: "before", as })
        yield* cloud.clearCalls
        const answer = yield* call("customer", "POST", "/v1/iaas/network/security-group-rules", {
          token: acme.tokens[1],
          body
        })
        assert.deepStrictEqual([answer.status, jsonOf(answer).detail], [502, detail])
        assert.deepStrictEqual(
          (yield* cloud.calls).filter((_) => _.method === "POST" && _.service === "neutron"),
          []
        )
      }
      yield* cloud.clearFaults
    })
  )
})

layer(Tapped)("connections that break", (it) => {
  it.effect("an upstream that resets before its answer is a 502 with a message, without addresses", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((from) => void from.socket.resetAndDestroy())
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = yield* odd(method, "/recordsets")
        assert.strictEqual(answer.status, 502)
        const { code, detail, transient } = jsonOf(answer)
        assert.deepStrictEqual([code, transient], ["upstream_failed", true])
        assert.match(detail, /^dns: no answer: the connection failed \((ECONNRESET|UND_ERR_SOCKET)\)$/)
      }
    })
  )

  it.effect("an early answer of an upstream is passed on, and later calls succeed", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      const body = Buffer.alloc(20 * 1024 * 1024, "x")
      for (const chunked of [false, true]) {
        yield* tap.script((from, to) => {
          from.once("data", () => {
            to.writeHead(413)
            to.end("too much")
          })
        })
        const answer = yield* odd("PUT", "/recordsets", { body, chunked })
        assert.deepStrictEqual([answer.status, answer.text], [413, "too much"])
        yield* tap.script((from, to) => void from.resume().once("end", () => to.end("all of it")))
        assert.strictEqual((yield* odd("PUT", "/recordsets", { body, chunked })).text, "all of it")
      }
    })
  )

  const halves: Readonly<Record<string, (to: ServerResponse) => void>> = {
    "with a length": (to) => {
      to.writeHead(200, { "content-length": "1000" })
      to.write("half")
    },
    "in chunks": (to) => {
      to.writeHead(200)
      to.write("half")
    }
  }
  for (const [how, begin] of Object.entries(halves)) {
    it.effect(`an upstream that breaks off halfway, ${how}, breaks the client's answer`, () =>
      Effect.gen(function* () {
        const tap = yield* Tap
        const begun = yield* Deferred.make<ServerResponse>()
        yield* tap.script((_, to) => {
          begin(to)
          Deferred.doneUnsafe(begun, Effect.succeed(to))
        })
        const asked = yield* Effect.forkChild(Effect.exit(odd("GET", "/recordsets")))
        const { socket } = yield* Deferred.await(begun)
        // Until the client has the half.
        yield* settle
        socket?.resetAndDestroy()
        const exit = yield* Fiber.join(asked)
        assert.strictEqual(exit._tag, "Failure")
        // Only this answer: the gateway still serves.
        yield* tap.script((_, to) => void to.end("fine"))
        assert.strictEqual((yield* odd("GET", "/recordsets")).text, "fine")
      })
    )
  }

  const moments: Readonly<Record<string, (from: IncomingMessage, to: ServerResponse) => void>> = {
    "before the answer": () => {},
    "in the middle of it": (_, to) => {
      to.writeHead(200)
      to.write("half")
    }
  }
  for (const [moment, begin] of Object.entries(moments)) {
    it.effect(`a client that disconnects ${moment} ends the upstream call`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { url } = yield* TestGateway
        const tap = yield* Tap
        const begun = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<void>()
        yield* tap.script((from, to) => {
          to.once("close", () => Deferred.doneUnsafe(ended, Effect.void))
          begin(from, to)
          Deferred.doneUnsafe(begun, Effect.void)
        })
        const client = request(`${url.customer}/v1/iaas/dns/recordsets`, {
          headers: { authorization: `Bearer ${acme.tokens[0]}` }
        })
        client.on("error", () => {})
        client.on("response", (_) => _.on("error", () => {}))
        client.end()
        yield* Deferred.await(begun)
        yield* settle
        client.destroy()
        yield* Deferred.await(ended)
      })
    )
  }

  it.effect("a client that disconnects does not end a billed call", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, url } = yield* TestGateway
      const { events } = yield* Memory
      const cloud = yield* SimulatedCloud
      const token = acme.tokens[2]
      const made = yield* call("customer", "POST", "/v1/iaas/volume/volumes", { token, body: { volume: { size: 1 } } })
      const { id } = jsonOf(made).volume
      yield* cloud.fault({
        service: "cinder",
        method: "DELETE",
        path: "/**",
        when: "after",
        as: { delay_ms: 300 }
      })
      const path = `/v1/iaas/volume/volumes/${id}`
      const status = Effect.map(call("customer", "GET", path, { token }), (_) => jsonOf(_).volume?.status)
      yield* repeatInTime(status, (_) => _ === "available")
      const client = request(`${url.customer}${path}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}` }
      })
      client.on("error", () => {})
      client.end()
      yield* until(Effect.map(cloud.calls, (_) => _.some((one) => one.method === "DELETE" && one.path.endsWith(id))))
      client.destroy()
      yield* settle
      const kinds = Effect.sync(() => [...events.values()].filter((_) => _.key === id).map((_) => _.envelope))
      const told = yield* repeatInTime(kinds, (_) => _.length === 2)
      assert.include(JSON.stringify(told[1]), "volume.delete")
      yield* cloud.clearFaults
    })
  )

  it.effect("a client that disconnects within its body ends the upstream call, whose body stays incomplete", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      const tap = yield* Tap
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<boolean>()
      yield* tap.script((from) => {
        from.on("error", () => {})
        from.once("close", () => Deferred.doneUnsafe(ended, Effect.succeed(from.complete)))
        from.once("data", () => Deferred.doneUnsafe(begun, Effect.void))
      })
      const { hostname, port } = new URL(url.customer)
      const socket: Socket = connect(Number(port), hostname)
      socket.write(
        `POST /v1/iaas/dns/recordsets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.tokens[1]}\r\n` +
          "Content-Length: 1000\r\n\r\nhalf"
      )
      yield* Deferred.await(begun)
      socket.resetAndDestroy()
      assert.isFalse(yield* Deferred.await(ended))
    })
  )
})

const unreachable = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), IAAS_DNS_URL: "http://127.0.0.1:9/internal/v2" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(Cast.layer.pipe(Layer.provideMerge(unreachable)))("an unreachable upstream", (it) => {
  it.effect("is a 502 with a message, without its address", () =>
    Effect.gen(function* () {
      const answer = yield* odd("GET", "/recordsets")
      assert.strictEqual(answer.status, 502)
      assert.deepStrictEqual(jsonOf(answer), {
        detail: "dns: no answer: the connection failed (ECONNREFUSED)",
        code: "upstream_failed",
        transient: true
      })
    })
  )
})

const sparse = TestGateway.layerOf(
  Effect.map(Server, ({ url }) =>
    Object.fromEntries(
      Object.entries(gatewaySettings(url)).filter(([name]) => !/^IAAS_(DNS|KEY_MANAGER)_URL$/.test(name))
    )
  )
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(Cast.layer.pipe(Layer.provideMerge(sparse)))("a cloud without some services", (it) => {
  it.effect("dns and key-manager are as unknown as any other name", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      for (const service of ["dns", "key-manager", "nothing"]) {
        const answer = yield* call("customer", "GET", `/v1/iaas/${service}/x`, { token: acme.tokens[0] })
        assert.deepStrictEqual(
          [answer.status, jsonOf(answer)],
          [404, { detail: `No platform service at '${service}'`, code: "service_not_found" }]
        )
      }
    })
  )

  it.effect("a platform that refuses the tenant's user is a 502 with its message", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const { call } = yield* TestGateway
      const { world } = yield* SimulatedCloud
      world.keystone.projects[globex.projectId]!.enabled = false
      const answer = yield* call("customer", "GET", "/v1/iaas/compute/servers", { token: globex.tokens[0] })
      assert.strictEqual(answer.status, 502)
      assert.deepStrictEqual(jsonOf(answer), {
        detail: "keystone login: The request you have made requires authentication.",
        code: "upstream_failed",
        transient: false
      })
    })
  )
})
