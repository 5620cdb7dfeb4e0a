import { gatewaySettings } from "@portico/simulator/settings"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { summaryOf } from "./numbers.ts"
import { database, gatewayProcess, simulatedCloud } from "./processes.ts"
import { memoryOf } from "./proxy/machine.ts"
import { unlimited } from "./requests.ts"
import { concluded, type Part, shown } from "./results.ts"

const counts = { idle: 10_000, slow: 2_000 }
/** Kilobytes of memory for each. */
const goals = { idle: 20, slow: 64 }
const atOnce = 1_000

const whole = "GET /health HTTP/1.1\r\nHost: bench\r\n\r\n"
/** A request whose body does not come to its end. */
const half =
  'POST /v1/signup HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"email": "'

/** A connection that sends this; done when it is answered, or when it is sent. */
const client = (url: string, text: string, isAnswered: boolean) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname, () =>
        socket.write(text, () => (isAnswered ? undefined : resume(Effect.succeed(socket))))
      )
      socket.on("error", (error) => resume(Effect.die(error)))
      if (isAnswered) socket.once("data", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** How many kilobytes a gateway grows by with each client of the kind, and how many of them are still connected. */
const grown = Effect.fnUntraced(function* (
  settings: Readonly<Record<string, string>>,
  count: number,
  text: string,
  isAnswered: boolean
) {
  const { pid, up } = yield* gatewayProcess(settings, ["--max-semi-space-size=8"])
  // What the first requests compile and allocate is no client's.
  yield* Effect.scoped(
    Effect.forEach(Array.from({ length: 500 }), () => client(up.customer, whole, true), { concurrency: atOnce })
  )
  yield* Effect.sleep("3 seconds")
  const before = yield* memoryOf(pid)
  const sockets = yield* Effect.forEach(Array.from({ length: count }), () => client(up.customer, text, isAnswered), {
    concurrency: atOnce
  })
  yield* Effect.sleep("1 second")
  const after = yield* memoryOf(pid)
  // The gateway closes connections that are idle for some seconds, which a slow machine needs to open all of them.
  const connected = sockets.filter((_) => !_.destroyed && !_.readableEnded).length
  return {
    each: ((after.now - before.now) * 1024) / connected,
    connected
  }
}, Effect.scoped)

/** What connections cost that do nothing, and those whose request does not end. */
export const idleBench = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const settings = {
    ...gatewaySettings(cloud),
    ...unlimited,
    DATABASE_URL: yield* database,
    CUSTOMER_CONNECTIONS: "20000"
  }
  const idle = yield* grown(settings, counts.idle, whole, true)
  const slow = yield* grown(settings, counts.slow, half, false)
  const part = {
    title: "Memory of clients that do nothing",
    rows: [
      ["", "clients", "still connected", "kB each"],
      ["idle after a request", String(counts.idle), String(idle.connected), idle.each.toFixed(1)],
      ["in the middle of a request", String(counts.slow), String(slow.connected), slow.each.toFixed(1)]
    ],
    notes: [],
    goals: [
      { what: "an idle client, kB", measured: summaryOf([idle.each]), wanted: { atMost: goals.idle } },
      { what: "a slow client, kB", measured: summaryOf([slow.each]), wanted: { atMost: goals.slow } }
    ],
    numbers: { idle, slow }
  } satisfies Part
  yield* concluded("idle", "Idle and slow clients", [yield* shown("idle", Effect.succeed(part))], {})
})
