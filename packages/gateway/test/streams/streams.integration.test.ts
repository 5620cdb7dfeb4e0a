import { isEverything } from "@portico/testing/sample/sampled"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { platform } from "node:process"
import { type Gateway, startGateway, story, tenantOf } from "../processes/harness.ts"
import { drained, forgetMost, memoryOf, MiB, pour } from "./streaming.ts"

/** A leak would show in less, but a buffer that is let go now and then might not. */
const size = (isEverything ? 4096 : 512) * MiB

/** What a service that the gateway takes for dns does with a request. */
type Script = (from: IncomingMessage, to: ServerResponse) => void

const origin = (script: Script) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer({ requestTimeout: 0 }, script)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const connections = (server: Server) =>
  Effect.callback<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })

/** Downloads stream from it and uploads drain into it; it answers with how much came. */
const bulk: Script = (from, to) => {
  if (from.method === "GET") {
    to.writeHead(200, { "content-type": "application/octet-stream", "content-length": String(size) })
    return pour(size, to)
  }
  drained(from, (bytes) => to.end(String(bytes)))
}

const exchanged = (gateway: Gateway, token: string, method: string, headers: Record<string, string> = {}) =>
  Effect.callback<number>((resume) => {
    const outgoing = request(`${gateway.url}/v1/iaas/dns/bulk`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers }
    })
    outgoing.once("response", (answer) => {
      if (method === "GET") return drained(answer, (bytes) => resume(Effect.succeed(bytes)))
      let text = ""
      answer.setEncoding("utf8").on("data", (_) => (text += _))
      answer.once("end", () => resume(Effect.succeed(Number(text))))
    })
    outgoing.once("error", (error) => resume(Effect.die(error)))
    if (method === "GET") outgoing.end()
    else pour(size, outgoing)
  })

describe.skipIf(platform !== "linux")(`${size / MiB} MiB through the gateway`, () => {
  const ways: Readonly<Record<string, readonly [method: string, headers: Record<string, string>]>> = {
    down: ["GET", {}],
    "up, with a length": ["PUT", { "content-length": String(size) }],
    "up, in chunks": ["PUT", { "transfer-encoding": "chunked" }]
  }
  for (const [way, [method, headers]] of Object.entries(ways)) {
    story(
      `${way}: nothing is lost, and its memory grows by less than 64 MiB`,
      Effect.fnUntraced(function* () {
        const server = yield* origin(bulk)
        const { port } = server.address() as AddressInfo
        const gateway = yield* startGateway({ IAAS_DNS_URL: `http://127.0.0.1:${port}/v2` })
        const { token } = yield* tenantOf(gateway, "Acme GmbH")
        forgetMost(gateway.pid)
        const before = memoryOf(gateway.pid).now
        assert.strictEqual(yield* exchanged(gateway, token, method, headers), size)
        const { most } = memoryOf(gateway.pid)
        assert.isBelow((most - before) / MiB, 64)
        assert.isBelow(yield* connections(server), 3)
      })
    )
  }
})
