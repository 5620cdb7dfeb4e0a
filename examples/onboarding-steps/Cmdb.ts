import { postJson } from "@portico/upstream/requests"
import * as System from "@portico/upstream/System"
import { Taken, type UpstreamError } from "@portico/upstream/UpstreamError"
import { Config, Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

/** What the company knows of a tenant. `origin` is the stamp of the attempt that made the entry. */
export const Entry = Schema.Struct({
  id: Schema.String,
  key: Schema.String,
  owner: Schema.String,
  origin: Schema.String
})
export type Entry = typeof Entry.Type

const Entries = Schema.Struct({ entries: Schema.Array(Entry) })

/** The company's inventory: `POST`, `GET ?origin=` and `DELETE` below `/entries`. A key is unique. */
export class Cmdb extends Context.Service<
  Cmdb,
  {
    register(entry: Omit<Entry, "id">): Effect.Effect<void, UpstreamError | Taken>
    removeAll(origin: string): Effect.Effect<void, UpstreamError>
  }
>()("example/Cmdb") {
  static readonly layer = Layer.effect(
    Cmdb,
    Effect.gen(function* () {
      const url = yield* Config.String("CMDB_URL")
      const token = yield* Config.Redacted("CMDB_TOKEN")
      const system = System.make(yield* HttpClient.HttpClient, {
        upstream: "cmdb",
        url,
        authorize: (request) => Effect.succeed(HttpClientRequest.bearerToken(request, token))
      })

      const ofOrigin = (origin: string) =>
        Effect.map(
          system.read("list entries", HttpClientRequest.get("/entries", { urlParams: { origin } }), Entries),
          (_) => _.entries
        )

      return Cmdb.of({
        register: Effect.fn("Cmdb.register")(function* (entry) {
          const create = postJson("/entries", entry)
          yield* Effect.catchIf(
            system.send("create entry", create),
            (error) => error.status === 409,
            Effect.fnUntraced(function* () {
              const own = yield* ofOrigin(entry.origin)
              if (own.length === 0) return yield* new Taken({ upstream: "cmdb", what: `entry '${entry.key}'` })
            })
          )
        }),
        removeAll: Effect.fn("Cmdb.removeAll")(function* (origin) {
          for (const { id } of yield* ofOrigin(origin)) {
            yield* system.remove("remove entry", HttpClientRequest.delete(`/entries/${encodeURIComponent(id)}`))
          }
        })
      })
    })
  )
}
