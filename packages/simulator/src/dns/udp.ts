import { Effect, FiberSet, Schema } from "effect"
import { createSocket, type RemoteInfo } from "node:dgram"
import { SimulatedCloud } from "../SimulatedCloud.ts"
import { failurePacket, truncated } from "./packets.ts"
import type { Call } from "../Wire.ts"

/** The port is taken for datagrams. */
export class CannotBind extends Schema.TaggedError<CannotBind>()("CannotBind", { reason: Schema.String }) {}

/** A query as a call of the cloud, so that it is logged and faults apply to it. */
export const queryOf = (message: Uint8Array): Call => {
  const query = new URLSearchParams({ dns: Buffer.from(message).toString("base64url") })
  return {
    service: "resolver",
    method: "GET",
    target: `/resolver/dns-query?${query}`,
    path: "/dns-query",
    query,
    headers: {},
    body: new Uint8Array()
  }
}

/** The resolver of the simulated internet by UDP. Ends with the scope. */
export const listen = Effect.fnUntraced(function* (host: string, port: number) {
  const run = yield* FiberSet.makeRuntime<SimulatedCloud>()
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
  const reply = Effect.fnUntraced(function* (message: Buffer, from: RemoteInfo) {
    const outcome = yield* (yield* SimulatedCloud).answer(queryOf(message))
    if (outcome === "reset") return
    const response = outcome.status === 200 ? truncated(message, Buffer.from(outcome.body)) : failurePacket(message)
    if (response !== undefined) socket.send(response, from.port, from.address, () => {})
  })
  socket.on("message", (message, from) => {
    run(Effect.ignore(reply(message, from), { log: "Error", message: "a question could not be answered" }))
  })
  const bound = Effect.callback<void, CannotBind>((resume) => {
    socket.once("error", (error) => resume(new CannotBind({ reason: error.message })))
    socket.bind(port, host, () => resume(Effect.void))
  })
  yield* Effect.acquireRelease(bound, () =>
    Effect.callback<void>((resume) => {
      socket.close(() => resume(Effect.void))
    })
  )
})
