import { Effect, Schema } from "effect"
import { createServer, type Server } from "node:http"
import { send } from "../requests.ts"
import { callsAs, type Gateway } from "./stage.ts"

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`http://127.0.0.1:${port}/`))
      })
    }),
    () => Effect.sync(() => server.close().closeAllConnections())
  )

/** Takes deliveries, and tells of each at once by its `webhook-id`. */
export const taking = (arrived: (id: string) => void) =>
  listening(
    createServer((from, to) => {
      from.resume().on("end", () => {
        arrived(String(from.headers["webhook-id"]))
        to.writeHead(204).end()
      })
    })
  )

/** Takes connections, and never says a word. */
export const dead = listening(createServer((from) => void from.resume()))

const Created = Schema.fromJsonString(Schema.Struct({ webhook_id: Schema.String }))

/** A webhook of the tenant of this number, for all of its events of a topic. */
export const webhook = Effect.fnUntraced(function* (gateway: Gateway, tenant: number, url: string, topic: string) {
  const body = { url, topics: [topic] }
  const answer = yield* send("POST", gateway.url("/v1/webhooks"), 201, { headers: callsAs(tenant), body })
  return (yield* Schema.decodeUnknownEffect(Created)(answer)).webhook_id
})
