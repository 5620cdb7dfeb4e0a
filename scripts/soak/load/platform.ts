import { publicImageId } from "@portico/simulator/glance/state"
import { Effect } from "effect"
import { textAt } from "../client.ts"
import { as, type Load, type Tenant } from "./tenant.ts"

const compute = "/v1/iaas/compute"
const volume = "/v1/iaas/volume"
const network = "/v1/iaas/network"

/** Forwarded reads. */
export const proxiedReads = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get } = as(load, tenant, "proxied reads")
  yield* get(
    load.random.pick([
      `${compute}/servers`,
      `${compute}/flavors`,
      `${network}/networks`,
      `${network}/ports`,
      `${volume}/volumes`,
      "/v1/iaas/image/images",
      "/v1/kubernetes/version"
    ])
  )
})

/** A server's life, which is billed: one event for each act. */
export const servers = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make, remove, send } = as(load, tenant, "servers")
  const made = yield* make(
    "server",
    `${compute}/servers`,
    {
      server: {
        name: `soak-${load.random.int(1, 1e9)}`,
        flavorRef: "2",
        imageRef: publicImageId,
        networks: [{ uuid: tenant.networkId }]
      }
    },
    (_) => textAt(_.json, "server", "id")
  )
  if (made === undefined) return
  yield* Effect.sleep(load.random.int(500, 2500))
  yield* send("POST", `${compute}/servers/${made.id}/action`, { body: { "os-stop": null } })
  yield* Effect.sleep(load.random.int(200, 2000))
  yield* remove("server", `${compute}/servers/${made.id}`, made.id)
})

export const volumes = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make, remove } = as(load, tenant, "volumes")
  const made = yield* make("volume", `${volume}/volumes`, { volume: { size: 1 } }, (_) =>
    textAt(_.json, "volume", "id")
  )
  if (made === undefined) return
  yield* Effect.sleep(load.random.int(1500, 4000))
  yield* remove("volume", `${volume}/volumes/${made.id}`, made.id)
})

export const databases = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get, make, remove } = as(load, tenant, "databases")
  const name = `db-${load.random.int(1, 1e9)}`
  const body = { engine: "postgres", name, version: "17", size_gb: 1 }
  const made = yield* make("database", "/v1/databases", body, () => name, name)
  yield* get("/v1/databases")
  yield* Effect.sleep(load.random.int(500, 4000))
  if (made !== undefined) yield* remove("database", `/v1/databases/postgres/${name}`, name)
})

export const zones = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make, remove, send } = as(load, tenant, "zones")
  const body = { name: `soak-${load.random.int(1, 1e9)}.example.` }
  const made = yield* make("zone", "/v1/dns/zones", body, (_) => textAt(_.json, "zone_id") || textAt(_.json, "id"))
  if (made === undefined) return
  const path = `/v1/dns/zones/${made.id}`
  yield* send("POST", `${path}/recordsets`, { body: { name: "www", type: "A", records: ["192.0.2.1"] } })
  yield* Effect.sleep(load.random.int(1000, 4000))
  yield* remove("zone", path, made.id)
})

export const nat = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { send } = as(load, tenant, "nat")
  const made = yield* send("POST", "/v1/nat-gateways")
  const id = textAt(made.json, "ngw_id") || textAt(made.json, "id")
  if (id === "") return
  yield* send("GET", `/v1/nat-gateways/${id}`)
  if (load.random.chance(0.3)) yield* send("DELETE", `/v1/nat-gateways/${id}`)
})

export const edge = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make, remove } = as(load, tenant, "edge")
  const number = load.random.int(1, 1e9)
  const body = { name: `web-${number}`, target: { service: "web", port: 80 }, domain: `w${number}.soak.example` }
  const made = yield* make("exposure", "/v1/edge/exposures", body, (_) => textAt(_.json, "exposure_id"))
  if (made === undefined) return
  yield* Effect.sleep(load.random.int(500, 3000))
  yield* remove("exposure", `/v1/edge/exposures/${made.id}`, made.id)
})

export const groups = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get, make, remove } = as(load, tenant, "autoscaling")
  const body = {
    name: `g-${load.random.int(1, 1e9)}`,
    min: 0,
    max: 1,
    template: { flavor_id: "2", image_id: publicImageId }
  }
  const made = yield* make("group", "/v1/autoscaling/groups", body, (_) => textAt(_.json, "group_id"))
  yield* get("/v1/autoscaling/groups")
  if (made === undefined) return
  yield* Effect.sleep(load.random.int(500, 3000))
  yield* remove("group", `/v1/autoscaling/groups/${made.id}`, made.id)
})
