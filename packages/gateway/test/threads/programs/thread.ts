import { Slots } from "@portico/domain/limits/Slots"
import { threadCounts, Threads } from "@portico/domain/limits/Threads"
import { threadData } from "@portico/gateway/threads/worker"
import { Effect, Result } from "effect"
import { createServer } from "node:http"
import { parentPort } from "node:worker_threads"

// A thread as the gateway's: it takes three of the ten slots of "acme", and ends in the way that it is asked for.
const data = threadData
if (data === undefined) throw new Error("this is no program of its own")
if (data.settings["FAILS"] === "yes") throw new Error("it cannot start")

const counts = threadCounts(data, data.index)
const refused = { ofOne: () => "one", inAll: () => "all" }
const slots = Effect.runSync(Effect.provideService(Slots.make("calls", 10, 100), Threads, counts))
for (let slot = 0; slot < 3; slot++) slots.takeNow("acme", refused)

const server = createServer((request, answer) => {
  if (request.url === "/crash") throw new Error("a bug of this thread")
  if (request.url === "/hang") for (;;);
  const taken = slots.takeNow("acme", refused)
  answer.end(JSON.stringify({ index: data.index, refused: Result.isFailure(taken) ? taken.failure : null }))
})
server.listen({ port: Number(data.settings["PORT"]), host: "127.0.0.1", reusePort: true }, () => {
  parentPort?.postMessage({ kind: "listens", customer: `http://127.0.0.1:${data.settings["PORT"]}`, agent: null })
})
parentPort?.on("message", ({ kind, round }) => {
  if (kind === "stop") process.exit(0)
  parentPort?.postMessage({ kind: "metrics", round, text: `calls{thread="${data.index}"} ${slots.all}\n` })
})
