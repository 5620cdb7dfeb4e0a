import { Effect } from "effect"
import type { Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const as = Effect.fnUntraced(function* ({ tokens }: Tenant, method: string, path: string, body?: unknown) {
  return jsonOf(yield* (yield* TestGateway).call("customer", method, path, { token: tokens[2], body }))
})

/** Things of one tenant: made when they are first asked for, and the same ones after that. */
const buckets = "/v1/object-storage/buckets"

const bucketOf = (_: Tenant) => {
  const name = `${_.name.toLowerCase()}-alone`
  return Effect.as(as(_, "POST", buckets, { name }), name)
}

const keyOf = (_: Tenant) =>
  Effect.map(as(_, "GET", "/v1/object-storage/credentials"), ({ access_key }) => encodeURIComponent(access_key))

const gatewayOf = (_: Tenant) => Effect.as(as(_, "POST", "/v1/nat-gateways"), `ngw-${_.routerId}`)

const groupOf = (_: Tenant) =>
  Effect.gen(function* () {
    const { groups } = yield* as(_, "GET", "/v1/autoscaling/groups")
    if (groups.length > 0) return groups[0].group_id
    const { flavors } = yield* as(_, "GET", "/v1/iaas/compute/flavors")
    const { images } = yield* as(_, "GET", "/v1/iaas/image/images")
    const template = { flavor_id: flavors[0].id, image_id: images[0].id }
    const made = yield* as(_, "POST", "/v1/autoscaling/groups", {
      name: "theirs",
      min: 0,
      max: 1,
      desired: 0,
      template,
      policies: [{ name: policy, adjustment: 1 }]
    })
    return made.group_id
  })

const alarmOf = (_: Tenant) =>
  Effect.gen(function* () {
    const { alarms } = yield* as(_, "GET", "/v1/alarms")
    if (alarms.length > 0) return alarms[0].alarm_id
    const rule = { metric: "cpu", group_id: yield* groupOf(_), comparison: "gt", threshold: 90 }
    return (yield* as(_, "POST", "/v1/alarms", { name: "theirs", rule })).alarm_id
  })

const targetOf = (resource: "webhook" | "integration", body: object) => (_: Tenant) =>
  Effect.gen(function* () {
    const [found] = (yield* as(_, "GET", `/v1/${resource}s`))[`${resource}s`]
    return (found ?? (yield* as(_, "POST", `/v1/${resource}s`, body)))[`${resource}_id`]
  })

const webhookOf = targetOf("webhook", { url: "http://127.0.0.1:1/theirs" })
const integrationOf = targetOf("integration", { kind: "slack", name: "theirs", url: "http://127.0.0.1:1/theirs" })

const instanceOf = (_: Tenant) =>
  Effect.gen(function* () {
    const { servers } = yield* as(_, "GET", "/v1/iaas/compute/servers")
    if (servers.length > 0) return servers[0].id
    const { flavors } = yield* as(_, "GET", "/v1/iaas/compute/flavors")
    const { images } = yield* as(_, "GET", "/v1/iaas/image/images")
    const server = { name: "theirs", flavorRef: flavors[0].id, imageRef: images[0].id }
    return (yield* as(_, "POST", "/v1/iaas/compute/servers", { server })).server.id
  })

/** A zone of the tenant, which is made once. */
export const zoneOf = (_: Tenant) =>
  Effect.gen(function* () {
    const { zones } = yield* as(_, "GET", "/v1/dns/zones")
    if (zones.length > 0) return zones[0].zone_id
    return (yield* as(_, "POST", "/v1/dns/zones", { name: `${_.name.toLowerCase()}-absence.example.` })).zone_id
  })

const recordsetOf = (_: Tenant) =>
  Effect.gen(function* () {
    const recordsets = `/v1/dns/zones/${yield* zoneOf(_)}/recordsets`
    const { recordsets: found } = yield* as(_, "GET", `${recordsets}?type=A`)
    if (found.length > 0) return found[0].recordset_id
    return (yield* as(_, "POST", recordsets, { name: "www", type: "A", records: ["192.0.2.1"] })).recordset_id
  })

/** The name of a policy that every group here has. */
export const policy = "up"

/** The bucket that the caller has, with nothing in it. */
export const ownBucket = bucketOf

/** How each id route about a resource is asked about another tenant's. */
export const foreignResources = {
  "DELETE /v1/object-storage/buckets/:name": bucketOf,
  "GET /v1/object-storage/buckets/:name/objects": bucketOf,
  "GET /v1/object-storage/buckets/:name/objects/:key/presigned": () => "absent",
  "POST /v1/object-storage/buckets/:name/objects/:key/presigned": bucketOf,
  "DELETE /v1/object-storage/buckets/:name/objects/:key": () => "absent",
  "GET /v1/object-storage/buckets/:name/versions": bucketOf,
  "GET /v1/object-storage/buckets/:name/cors": bucketOf,
  "PUT /v1/object-storage/buckets/:name/cors": bucketOf,
  "DELETE /v1/object-storage/buckets/:name/cors": bucketOf,
  "GET /v1/object-storage/buckets/:name/versioning": bucketOf,
  "PUT /v1/object-storage/buckets/:name/versioning": bucketOf,
  "DELETE /v1/object-storage/keys/:access_key": keyOf,
  "GET /v1/nat-gateways/:ngw_id": gatewayOf,
  "DELETE /v1/nat-gateways/:ngw_id": gatewayOf,
  "GET /v1/autoscaling/groups/:group_id": groupOf,
  "PATCH /v1/autoscaling/groups/:group_id": groupOf,
  "DELETE /v1/autoscaling/groups/:group_id": groupOf,
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": groupOf,
  "GET /v1/metrics/instances/:id/history": instanceOf,
  "GET /v1/alarms/:alarm_id": alarmOf,
  "PATCH /v1/alarms/:alarm_id": alarmOf,
  "DELETE /v1/alarms/:alarm_id": alarmOf,
  "GET /v1/webhooks/:webhook_id": webhookOf,
  "PATCH /v1/webhooks/:webhook_id": webhookOf,
  "DELETE /v1/webhooks/:webhook_id": webhookOf,
  "GET /v1/webhooks/:webhook_id/deliveries": webhookOf,
  "POST /v1/webhooks/:webhook_id/test": webhookOf,
  "POST /v1/webhooks/:webhook_id/rotate-secret": webhookOf,
  "POST /v1/webhooks/:webhook_id/redeliver": webhookOf,
  "GET /v1/integrations/:integration_id": integrationOf,
  "PATCH /v1/integrations/:integration_id": integrationOf,
  "DELETE /v1/integrations/:integration_id": integrationOf,
  "GET /v1/integrations/:integration_id/deliveries": integrationOf,
  "POST /v1/integrations/:integration_id/test": integrationOf,
  "POST /v1/integrations/:integration_id/confirm": integrationOf,
  "POST /v1/integrations/:integration_id/rotate-secret": integrationOf,
  "POST /v1/integrations/:integration_id/redeliver": integrationOf,
  "GET /v1/dns/zones/:zone_id": zoneOf,
  "PATCH /v1/dns/zones/:zone_id": zoneOf,
  "DELETE /v1/dns/zones/:zone_id": zoneOf,
  "GET /v1/dns/zones/:zone_id/recordsets": zoneOf,
  "POST /v1/dns/zones/:zone_id/recordsets": zoneOf,
  "PATCH /v1/dns/zones/:zone_id/recordsets/:recordset_id": recordsetOf,
  "DELETE /v1/dns/zones/:zone_id/recordsets/:recordset_id": recordsetOf,
  "POST /v1/dns/zones/:zone_id/import": zoneOf,
  "GET /v1/dns/zones/:zone_id/delegation": zoneOf
} as const

/** Bodies that these routes take. */
export const resourceBodies = {
  "POST /v1/object-storage/buckets/:name/objects/:key/presigned": { content_length: 1 },
  "PUT /v1/object-storage/buckets/:name/versioning": { versioning: "enabled" },
  "PUT /v1/object-storage/buckets/:name/cors": { rules: [{ allowed_origins: ["*"], allowed_methods: ["GET"] }] },
  "PATCH /v1/autoscaling/groups/:group_id": { desired: 1 },
  "PATCH /v1/alarms/:alarm_id": { enabled: false },
  "PATCH /v1/webhooks/:webhook_id": { enabled: false },
  "PATCH /v1/integrations/:integration_id": { enabled: false },
  "POST /v1/integrations/:integration_id/confirm": { code: "fine" },
  "POST /v1/integrations/:integration_id/rotate-secret": { url: "http://127.0.0.1:1/", overlap_seconds: 0 },
  "POST /v1/integrations/:integration_id/redeliver": { event_id: "00000000-0000-4000-8000-000000000000" },
  "POST /v1/webhooks/:webhook_id/rotate-secret": { overlap_seconds: 0 },
  "POST /v1/webhooks/:webhook_id/redeliver": { event_id: "00000000-0000-4000-8000-000000000000" },
  "PATCH /v1/dns/zones/:zone_id": { ttl: 300 },
  "POST /v1/dns/zones/:zone_id/recordsets": { name: "new", type: "A", records: ["192.0.2.1"] },
  "PATCH /v1/dns/zones/:zone_id/recordsets/:recordset_id": { ttl: 300 },
  "POST /v1/dns/zones/:zone_id/import": { zonefile: "new A 192.0.2.1\n" }
}
