import { assert } from "@effect/vitest"
import { ensureNamespace } from "@portico/domain/kubernetes/ensureNamespace"
import { onboard } from "@portico/domain/onboarding/onboard"
import { fixtures } from "@portico/simulator/Fixtures"
import { publicImageId } from "@portico/simulator/glance/state"
import { newBucket } from "@portico/simulator/rgw/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Credentials } from "@portico/store/Credentials"
import { Sessions, tenantUserName } from "@portico/upstream/openstack/Sessions"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ask, login } from "../../../simulator/test/ask.ts"
import { ownerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"

/** Asks as the tenant itself does, and wants it to be done. */
const doing = (token: string) => (method: string, path: string, json?: unknown, headers?: Record<string, string>) =>
  Effect.map(ask(method, path, { token, json, ...(headers === undefined ? {} : { headers }) }), (answer) => {
    assert.isBelow(answer.status, 300, `${method} ${path}: ${answer.body}`)
    return answer.json
  })

/** A live tenant that has one of everything, two of some, and whom its first credential makes the caller. */
export const estate = Effect.fnUntraced(function* (name = "Acme GmbH") {
  const owner = yield* ownerOf("standard", name)
  yield* filled(owner.tenant.projectId)
  return owner
})

/** With an owner, whom a login makes a caller too. */
export const withOwner = Effect.fnUntraced(function* (projectId: string) {
  const email = `owner@${projectId}.example`
  const { userId } = yield* (yield* Humans).create({
    email,
    displayName: "Olga Owner",
    stamp: "portico-test",
    role: "customer-owner"
  })
  yield* (yield* Credentials).insert({
    credential_id: `member-${userId}`,
    project_id: projectId,
    user_id: userId,
    kind: "member",
    tier: 2,
    label: email,
    state: "active",
    client_id: "",
    pat_hash: null,
    created_by: "test",
    expires_at: null,
    role: "customer-owner",
    email
  })
  return userId
})

/** One of everything, as the tenant would make it. */
export const filled = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const password = (yield* Sessions).tenantPassword(projectId)
  const call = doing(yield* login(tenantUserName(projectId), Redacted.value(password), projectId))

  const { networks } = yield* call("GET", `/network/v2.0/networks?project_id=${projectId}`)
  const { routers } = yield* call("GET", `/network/v2.0/routers?project_id=${projectId}`)
  const net = (yield* call("POST", "/network/v2.0/networks", { network: { name: "second" } })).network
  const sub = (yield* call("POST", "/network/v2.0/subnets", {
    subnet: { network_id: net.id, ip_version: 4, cidr: "10.7.0.0/24", name: "second" }
  })).subnet
  yield* call("PUT", `/network/v2.0/routers/${routers[0].id}/add_router_interface`, { subnet_id: sub.id })
  const group = (yield* call("POST", "/network/v2.0/security-groups", { security_group: { name: "web" } }))
    .security_group
  yield* call("POST", "/network/v2.0/security-group-rules", {
    security_group_rule: {
      security_group_id: group.id,
      direction: "ingress",
      protocol: "tcp",
      port_range_min: 80,
      port_range_max: 80
    }
  })
  yield* call("POST", "/network/v2.0/address-groups", {
    address_group: { name: "office", addresses: ["192.0.2.0/24"] }
  })
  const port = (yield* call("POST", "/network/v2.0/ports", { port: { network_id: net.id, name: "spare" } })).port
  yield* call("POST", "/network/v2.0/floatingips", {
    floatingip: { floating_network_id: fixtures.externalNetworkId, port_id: port.id }
  })

  const nova = { "openstack-api-version": "compute 2.90" }
  const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b"
  yield* call("POST", "/compute/v2.1/os-keypairs", { keypair: { name: "laptop", public_key: publicKey } }, nova)
  yield* call(
    "POST",
    "/compute/v2.1/os-server-groups",
    { server_group: { name: "apart", policy: "anti-affinity" } },
    nova
  )
  const server = {
    name: "web",
    flavorRef: "2",
    imageRef: publicImageId,
    networks: [{ uuid: networks[0].id }]
  }
  const { id: serverId } = (yield* call("POST", "/compute/v2.1/servers", { server }, nova)).server
  const cinder = `/volume/v3/${projectId}`
  const volume = (yield* call("POST", `${cinder}/volumes`, { volume: { size: 1, name: "data" } })).volume
  const offered = (yield* call("POST", `${cinder}/volumes`, { volume: { size: 1, name: "offered" } })).volume
  yield* TestClock.adjust("3 seconds")
  yield* call("POST", `${cinder}/snapshots`, { snapshot: { volume_id: volume.id, name: "before" } })
  yield* TestClock.adjust("2 seconds")
  yield* call("POST", `${cinder}/backups`, { backup: { volume_id: volume.id, name: "night" } })
  yield* call("POST", `${cinder}/os-volume-transfer`, { transfer: { volume_id: offered.id, name: "gift" } })
  yield* TestClock.adjust("2 seconds")
  yield* call(
    "POST",
    `/compute/v2.1/servers/${serverId}/os-volume_attachments`,
    { volumeAttachment: { volumeId: volume.id } },
    nova
  )

  yield* call("POST", "/image/v2/images", { name: "golden", container_format: "bare", disk_format: "raw" })
  yield* call("POST", "/image/v2/images", {
    name: "old",
    container_format: "bare",
    disk_format: "raw",
    os_hidden: true
  })
  const zone = yield* call("POST", "/dns/v2/zones", { name: `z${projectId}.example.`, email: "a@b.example" })
  yield* TestClock.adjust("10 seconds")
  yield* call("POST", `/dns/v2/zones/${zone.id}/recordsets`, {
    name: `www.z${projectId}.example.`,
    type: "A",
    records: ["192.0.2.1"]
  })
  yield* call("POST", `/dns/v2/zones/${zone.id}/tasks/export`)

  const secret = yield* call("POST", "/key-manager/v1/secrets", {
    name: "key",
    payload: "s",
    payload_content_type: "text/plain"
  })
  yield* call("POST", "/key-manager/v1/containers", {
    name: "bundle",
    type: "generic",
    secret_refs: [{ name: "key", secret_ref: secret.secret_ref }]
  })
  yield* call("POST", "/key-manager/v1/orders", {
    type: "key",
    meta: { name: "ordered", algorithm: "aes", bit_length: 256, mode: "cbc" }
  })
  yield* call("POST", "/load-balancer/v2/lbaas/loadbalancers", {
    loadbalancer: {
      name: "front",
      vip_subnet_id: sub.id,
      listeners: [{ protocol: "HTTP", protocol_port: 80, name: "http" }]
    }
  })
  yield* inTime(ensureNamespace(projectId, "standard"))

  for (const [bucket, num_objects] of [
    ["full", 12],
    ["empty", 0]
  ] as const) {
    const name = `${bucket}-${projectId}`
    world.rgw.buckets[`tenant/${name}`] = {
      ...newBucket({ bucket: name, tenant: "tenant", owner: `tenant$${projectId}`, id: name, now: 0 }),
      versioning: "enabled",
      held: num_objects === 0 ? [] : ["rgw.main"],
      size: num_objects * 1000,
      size_actual: num_objects * 4096,
      num_objects
    }
  }
  yield* TestClock.adjust("30 seconds")
})

/** A tenant like another, for what must not be touched. */
export const neighbour = Effect.fnUntraced(function* (name = "Globex") {
  const { tenant } = yield* inTime(onboard({ name, tier: "standard" }))
  yield* filled(tenant.project_id)
  return tenant.project_id
})
