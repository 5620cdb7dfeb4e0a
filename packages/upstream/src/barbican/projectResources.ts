import { Effect, Schema } from "effect"
import { kindOf, type Table } from "../projectResources/listing.ts"
import type { Inside } from "../keystone/inside.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"

const idOf = (ref: string): string => ref.replace(/\/$/, "").split("/").at(-1) ?? ""

const paged = { service: "key-manager", paging: { by: "offset", limit: 100 } } as const

const Order = Schema.Struct({ order_ref: Schema.String, type: Schema.optionalKey(Schema.String) })
const orders: Table<typeof Order.Type> = {
  ...paged,
  name: "orders",
  path: "/v1/orders",
  collection: "orders",
  item: Order,
  toListed: ({ order_ref, type }, project) => ({ id: idOf(order_ref), name: type, project })
}

const Container = Schema.Struct({ container_ref: Schema.String, name: Schema.NullOr(Schema.String) })
const containers: Table<typeof Container.Type> = {
  ...paged,
  name: "containers",
  path: "/v1/containers",
  collection: "containers",
  item: Container,
  toListed: ({ container_ref, name }, project) => ({ id: idOf(container_ref), name, project })
}

const Secret = Schema.Struct({ secret_ref: Schema.String, name: Schema.NullOr(Schema.String) })
const secrets: Table<typeof Secret.Type> = {
  ...paged,
  name: "secrets",
  path: "/v1/secrets",
  collection: "secrets",
  item: Secret,
  toListed: ({ name, secret_ref }, project) => ({ id: idOf(secret_ref), name, project })
}

/**
 * Secrets, their containers, and their orders. Barbican goes by the token's
 * project, even for an administrator. So the lists use the tenant's own
 * session. The removals use an administrator's session inside the project,
 * because the creator of an order may not remove it.
 */
export const barbicanResources = Effect.fnUntraced(function* (url: string, { enter }: Inside) {
  const sessions = yield* Sessions
  const within = yield* underSession
  const under = (session: Parameters<typeof within>[0]["session"]) => within({ upstream: "barbican", url, session })
  const options = {
    system: (projectId: string) => under(sessions.tenant(projectId)),
    remover: (projectId: string) => Effect.map(enter(projectId), (session) => under(Effect.succeed(session)))
  }
  return {
    orders: kindOf(orders, options),
    containers: kindOf(containers, options),
    secrets: kindOf(secrets, options)
  }
})
