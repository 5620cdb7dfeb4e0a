import type { ServerTemplate } from "@portico/contract/Autoscaling"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Catalog } from "../openstack/Catalog.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import { UpstreamError } from "../UpstreamError.ts"

/** Has the fault of a broken server, and no personality any more. */
const version = { "openstack-api-version": "compute 2.90" }

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  status: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String),
  "OS-EXT-STS:task_state": Schema.optionalKey(Schema.NullOr(Schema.String)),
  fault: Schema.optionalKey(Schema.Struct({ message: Schema.optionalKey(Schema.String) }))
})

const Page = Schema.Struct({
  servers: Schema.Array(Row),
  servers_links: Schema.optionalKey(Schema.Array(Schema.Struct({ rel: Schema.String })))
})

/** A server as its tenant sees it. */
export interface Seen {
  readonly id: string
  /** As Nova spells it: `ACTIVE`, `BUILD`, `ERROR`. */
  readonly status: string
  readonly metadata: Readonly<Record<string, string>>
  /** It is being deleted already. */
  readonly deleting: boolean
  /** What Nova says of an ERROR. */
  readonly fault: string | null
}

const pageSize = 500
/** A service whose pages never end is not believed. */
const mostPages = 100

/**
 * The servers of a tenant, under the tenant's own session: in its project,
 * within its quota, and with its user's keypairs.
 */
export class Servers extends Context.Service<
  Servers,
  {
    /** All of them, also those that nobody of ours has made. */
    list(projectId: string): Effect.Effect<ReadonlyArray<Seen>, UpstreamError>
    find(projectId: string, serverId: string): Effect.Effect<Seen | undefined, UpstreamError>
    /**
     * Asked once: names are not unique, and a second request would make a
     * second server.
     *
     * @returns its id; it is only accepted so far
     */
    create(
      projectId: string,
      server: {
        readonly name: string
        readonly template: ServerTemplate
        readonly metadata: Readonly<Record<string, string>>
      }
    ): Effect.Effect<string, UpstreamError>
    /** It has only begun when this returns. Repeatable. */
    remove(projectId: string, serverId: string): Effect.Effect<void, UpstreamError>
    /** Looks up what a template names: the flavor, the image, the network and the keypair, as the tenant may use them. 404 in the words of the system that lacks one. */
    check(projectId: string, template: ServerTemplate): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/nova/Servers") {
  static readonly layer = Layer.effect(
    Servers,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const client = yield* HttpClient.HttpClient
      const { compute, image, network } = (yield* Catalog).required
      const system = (upstream: string, url: string) => (projectId: string) =>
        underSession({ upstream, url, session: sessions.tenant(projectId) }).pipe(
          Effect.provideService(Sessions, sessions),
          Effect.provideService(HttpClient.HttpClient, client)
        )
      const nova = system("nova", compute)
      const glance = system("glance", image)
      const neutron = system("neutron", network)

      const list = Effect.fn("Servers.list")(function* (projectId: string) {
        const { read } = yield* nova(projectId)
        const found: Array<Seen> = []
        let marker: string | undefined
        for (let page = 0; page < mostPages; page++) {
          const behind: Readonly<Record<string, string>> = marker === undefined ? {} : { marker }
          const urlParams = { limit: String(pageSize), ...behind }
          const request = HttpClientRequest.get("/servers/detail", { urlParams, headers: version })
          const { servers, servers_links = [] } = yield* read("list servers", request, Page)
          found.push(...servers.map(seen))
          marker = servers.at(-1)?.id
          if (marker === undefined || !servers_links.some((_) => _.rel === "next")) return found
        }
        return yield* new UpstreamError({
          upstream: "nova",
          call: "list servers",
          status: 200,
          words: `its list does not end after ${mostPages} pages`
        })
      })

      const at = (id: string) => `/servers/${encodeURIComponent(id)}`

      return Servers.of({
        list,
        find: Effect.fn("Servers.find")(function* (projectId, serverId) {
          const request = HttpClientRequest.get(at(serverId), { headers: version })
          const Answer = Schema.Struct({ server: Row })
          const answer = yield* (yield* nova(projectId)).find("show server", request, Answer)
          return answer && seen(answer.server)
        }),
        create: Effect.fn("Servers.create")(function* (projectId, { metadata, name, template }) {
          const request = HttpClientRequest.post("/servers", { headers: version }).pipe(
            HttpClientRequest.bodyJsonUnsafe({ server: { name, metadata, ...asNova(template) } })
          )
          const Answer = Schema.Struct({ server: Schema.Struct({ id: Schema.String }) })
          return (yield* (yield* nova(projectId)).write("create server", request, Answer)).server.id
        }),
        remove: Effect.fn("Servers.remove")(function* (projectId, serverId) {
          const request = HttpClientRequest.delete(at(serverId), { headers: version })
          yield* (yield* nova(projectId)).remove("delete server", request)
        }),
        check: Effect.fn("Servers.check")(function* (projectId, template) {
          const { flavor_id, image_id, key_name, network_id } = template
          const there = (systemOf: typeof nova, call: string, path: string, id: string) =>
            Effect.flatMap(systemOf(projectId), ({ read }) =>
              read(call, HttpClientRequest.get(`/${path}/${encodeURIComponent(id)}`), Schema.Unknown)
            )
          yield* Effect.all(
            [
              there(nova, "show flavor", "flavors", flavor_id),
              there(glance, "show image", "images", image_id),
              ...(network_id === undefined ? [] : [there(neutron, "show network", "networks", network_id)]),
              ...(key_name === undefined ? [] : [there(nova, "show keypair", "os-keypairs", key_name)])
            ],
            { concurrency: "unbounded", discard: true }
          )
        })
      })
    })
  )
}

const gone = new Set(["DELETED", "SOFT_DELETED"])

const seen = (row: typeof Row.Type): Seen => ({
  id: row.id,
  status: row.status,
  metadata: row.metadata,
  deleting: row["OS-EXT-STS:task_state"] === "deleting" || gone.has(row.status),
  fault: row.fault?.message ?? null
})

/** What was left out is left out, but for the networks, without which Nova would make one of its own. */
const asNova = ({ flavor_id, image_id, key_name, network_id, security_groups, user_data }: ServerTemplate) => ({
  flavorRef: flavor_id,
  imageRef: image_id,
  networks: network_id === undefined ? "none" : [{ uuid: network_id }],
  ...(key_name === undefined ? {} : { key_name }),
  ...(security_groups === undefined ? {} : { security_groups: security_groups.map((name) => ({ name })) }),
  ...(user_data === undefined ? {} : { user_data: Buffer.from(user_data, "utf8").toString("base64") })
})
