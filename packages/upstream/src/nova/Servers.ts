import type { ServerTemplate } from "@portico/contract/Autoscaling"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Catalog } from "../openstack/Catalog.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import { allByMarker } from "../paging.ts"
import { postJson } from "../requests.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import { imageDevices } from "./imageDevices.ts"

/** Includes the fault of a broken server, and no longer supports personality files. */
const version = { "openstack-api-version": "compute 2.90" }

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  status: Schema.String,
  created: Schema.DateTimeUtcFromString,
  metadata: Schema.Record(Schema.String, Schema.String),
  "OS-EXT-STS:task_state": Schema.optionalKey(Schema.NullOr(Schema.String)),
  fault: Schema.optionalKey(Schema.Struct({ message: Schema.optionalKey(Schema.String) }))
})

/** A server as its tenant sees it. */
export interface Seen {
  readonly id: string
  /** Nova's status: `ACTIVE`, `BUILD`, `ERROR`. */
  readonly status: string
  /** In epoch milliseconds; whole seconds by Nova's clock. */
  readonly created: number
  readonly metadata: Readonly<Record<string, string>>
  /** The server is being deleted, or is deleted. */
  readonly deleting: boolean
  /** Nova's message for an ERROR. */
  readonly fault: string | null
}

/**
 * The servers of a tenant, under the tenant's own session: in its project,
 * within its quota, and with its user's keypairs.
 */
export class Servers extends Context.Service<
  Servers,
  {
    /** All servers, including those that the gateway did not create. */
    list(projectId: string): Effect.Effect<ReadonlyArray<Seen>, UpstreamError>
    find(projectId: string, serverId: string): Effect.Effect<Seen | undefined, UpstreamError>
    /**
     * Sent once: names are not unique, and a retry could create a second
     * server.
     *
     * @returns its id; Nova has only accepted the request
     */
    create(
      projectId: string,
      server: {
        readonly name: string
        readonly template: ServerTemplate
        readonly metadata: Readonly<Record<string, string>>
      }
    ): Effect.Effect<string, UpstreamError>
    /** The removal may still be under way when it returns. Repeatable. */
    remove(projectId: string, serverId: string): Effect.Effect<void, UpstreamError>
    /**
     * Checks that the template's flavor, image, network and keypair exist and
     * the tenant may use them. 404 with the message of the system that lacks
     * one.
     *
     * @returns whether the image brings block devices to the servers that are made from it
     */
    check(
      projectId: string,
      template: ServerTemplate
    ): Effect.Effect<{ readonly imageBringsDevices: boolean }, UpstreamError>
  }
>()("portico/upstream/nova/Servers") {
  static readonly layer = Layer.effect(
    Servers,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const under = yield* underSession
      const { compute, image, network } = (yield* Catalog).required
      const system = (upstream: string, url: string) => (projectId: string) =>
        under({ upstream, url, session: sessions.tenant(projectId) })
      const nova = system("nova", compute)
      const glance = system("glance", image)
      const neutron = system("neutron", network)

      const at = (id: string) => `/servers/${encodeURIComponent(id)}`

      return Servers.of({
        list: Effect.fn("Servers.list")(function* (projectId) {
          const servers = { path: "/servers/detail", collection: "servers", item: Row, headers: version }
          return (yield* allByMarker(nova(projectId), servers)).map(seen)
        }),
        find: Effect.fn("Servers.find")(function* (projectId, serverId) {
          const request = HttpClientRequest.get(at(serverId), { headers: version })
          const Answer = Schema.Struct({ server: Row })
          const answer = yield* nova(projectId).find("show server", request, Answer)
          return answer && seen(answer.server)
        }),
        create: Effect.fn("Servers.create")(function* (projectId, { metadata, name, template }) {
          const server = { name, metadata, ...asNova(template) }
          const request = postJson("/servers", { server }, { headers: version })
          const Answer = Schema.Struct({ server: Schema.Struct({ id: Schema.String }) })
          return (yield* nova(projectId).write("create server", request, Answer)).server.id
        }),
        remove: Effect.fn("Servers.remove")(function* (projectId, serverId) {
          const request = HttpClientRequest.delete(at(serverId), { headers: version })
          yield* nova(projectId).remove("delete server", request)
        }),
        check: Effect.fn("Servers.check")(function* (projectId, template) {
          const { flavor_id, image_id, key_name, network_id } = template
          const show = (systemOf: typeof nova, call: string, path: string, id: string, urlParams = {}) => {
            const request = HttpClientRequest.get(`/${path}/${encodeURIComponent(id)}`, { urlParams })
            return systemOf(projectId).read(call, request, Schema.JsonObject)
          }
          const [image] = yield* Effect.all(
            [
              show(glance, "show image", "images", image_id),
              show(nova, "show flavor", "flavors", flavor_id),
              ...(network_id === undefined
                ? []
                : [show(neutron, "show network", "networks", network_id, { fields: "id" })]),
              ...(key_name === undefined ? [] : [show(nova, "show keypair", "os-keypairs", key_name)])
            ],
            { concurrency: "unbounded" }
          )
          return { imageBringsDevices: imageDevices.some((_) => Boolean(image[_])) }
        })
      })
    })
  )
}

const gone = new Set(["DELETED", "SOFT_DELETED"])

const seen = (row: typeof Row.Type): Seen => ({
  id: row.id,
  status: row.status,
  created: DateTime.toEpochMillis(row.created),
  metadata: row.metadata,
  deleting: row["OS-EXT-STS:task_state"] === "deleting" || gone.has(row.status),
  fault: row.fault?.message ?? null
})

/** Absent properties stay absent, except the networks: without them Nova would create one. */
const asNova = ({ flavor_id, image_id, key_name, network_id, security_groups, user_data }: ServerTemplate) => ({
  flavorRef: flavor_id,
  imageRef: image_id,
  networks: network_id === undefined ? "none" : [{ uuid: network_id }],
  ...(key_name === undefined ? {} : { key_name }),
  ...(security_groups === undefined ? {} : { security_groups: security_groups.map((name) => ({ name })) }),
  ...(user_data === undefined ? {} : { user_data: Buffer.from(user_data, "utf8").toString("base64") })
})
