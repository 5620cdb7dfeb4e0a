import { inTime } from "@portico/testing/clock"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { type Tenant, tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator, polled } from "../real/Administrator.ts"
import { guest, made, serverOf, shown, through, unique } from "../real/Guests.ts"
import { realCloud } from "../real/RealGateway.ts"

/** What one tenant has, by id, and what belongs to it as a project. */
export type Belongings = Effect.Success<ReturnType<typeof belongings>>

/** Two tenants, each with one of everything that there is. */
export class Neighbours extends Context.Service<
  Neighbours,
  { readonly acme: Belongings; readonly globex: Belongings }
>()("portico/gateway/test/isolation/Neighbours") {
  static readonly layer = Layer.effect(
    Neighbours,
    Effect.gen(function* () {
      const acme = yield* Effect.flatMap(guest("neighbour-a", "extension"), belongings)
      const globex = yield* Effect.flatMap(guest("neighbour-b", "extension"), belongings)
      return { acme, globex }
    })
  )

  /** On the test clock. */
  static readonly simulated = Layer.effect(
    Neighbours,
    Effect.gen(function* () {
      const acme = yield* inTime(Effect.flatMap(tenant(unique("neighbour-a"), "extension"), belongings))
      const globex = yield* inTime(Effect.flatMap(tenant(unique("neighbour-b"), "extension"), belongings))
      return { acme, globex }
    })
  )
}

export const neighbourhood = Neighbours.layer.pipe(Layer.provideMerge(realCloud))

export const simulatedNeighbourhood = Neighbours.simulated.pipe(
  Layer.provideMerge(Administrator.simulated),
  Layer.provideMerge(TestGateway.layer)
)

/** Makes all of it with the key of tier 2. Whatever can have a name has the same, which nobody else has. */
const belongings = Effect.fnUntraced(function* (tenant: Tenant) {
  const name = unique("belonging")
  const { read } = yield* Administrator
  const { users } = yield* read("identity", `/users?name=gw-${tenant.projectId}`)
  const network = yield* networkThings(tenant, name)
  const [compute, others] = yield* Effect.all(
    [
      computeThings(tenant, name, network.port),
      Effect.all({
        image: imageThings(tenant, name),
        dns: dnsThings(tenant, name),
        balancing: balancingThings(tenant, name, network.subnet),
        secrets: secretThings(tenant, name)
      })
    ],
    { concurrency: 2 }
  )
  const { projectId, tokens } = tenant
  return {
    tenant,
    projectId,
    tokens,
    name,
    user: String(users[0].id),
    ...network,
    ...compute,
    ...others.image,
    ...others.dns,
    ...others.balancing,
    ...others.secrets
  }
})

/** POSTs with the key of tier 2; the id of what was made, which may stand in an envelope. */
const idOf = Effect.fnUntraced(function* (
  { tokens }: Tenant,
  path: string,
  envelope: string | undefined,
  body: object
) {
  const answer = yield* made(tokens[2], path, envelope === undefined ? body : { [envelope]: body })
  return String((envelope === undefined ? answer : answer[envelope]).id)
})

const networkThings = Effect.fnUntraced(function* (tenant: Tenant, name: string) {
  const { networkId: network, routerId: router, tokens } = tenant
  const make = (kind: string, envelope: string, body: object) => idOf(tenant, `/network/${kind}`, envelope, body)
  const { networks } = yield* shown(tokens[0], "/network/networks?router:external=true")
  const { subnets } = yield* shown(tokens[0], `/network/subnets?network_id=${network}`)
  const securityGroup = yield* make("security-groups", "security_group", { name })
  const rule = yield* make("security-group-rules", "security_group_rule", {
    security_group_id: securityGroup,
    direction: "ingress",
    protocol: "tcp",
    port_range_min: 5432,
    port_range_max: 5432,
    remote_ip_prefix: "10.9.0.0/16"
  })
  const port = yield* make("ports", "port", { name, network_id: network, security_groups: [securityGroup] })
  const parent = yield* make("ports", "port", { name, network_id: network })
  const addressScope = yield* make("address-scopes", "address_scope", { name, ip_version: 4 })
  return {
    network,
    router,
    external: String(networks[0].id),
    subnet: String(subnets[0].id),
    securityGroup,
    rule,
    port,
    parent,
    trunk: yield* make("trunks", "trunk", { name, port_id: parent }),
    addressScope,
    subnetPool: yield* make("subnetpools", "subnetpool", {
      name,
      prefixes: ["10.77.0.0/16"],
      default_prefixlen: 24,
      address_scope_id: addressScope
    }),
    addressGroup: yield* make("address-groups", "address_group", { name, addresses: ["10.9.1.0/24"] }),
    // The administrator's doing, with a target that is not there.
    policy: yield* sharedBy(tenant, network),
    floatingIp: yield* make("floatingips", "floatingip", { floating_network_id: networks[0].id, port_id: port })
  }
})

const sharedBy = Effect.fnUntraced(function* ({ projectId }: Tenant, network: string) {
  const { ask } = yield* Administrator
  const answer = yield* ask("POST", "network", "/rbac-policies", {
    body: {
      rbac_policy: {
        project_id: projectId,
        object_type: "network",
        object_id: network,
        action: "access_as_shared",
        target_tenant: randomUUID().replaceAll("-", "")
      }
    }
  })
  return answer.status === 201
    ? String(jsonOf(answer).rbac_policy.id)
    : yield* Effect.die(`the administrator cannot share: ${answer.text}`)
})

/** A server with a volume, and what else compute and block storage keep. */
const computeThings = Effect.fnUntraced(function* (tenant: Tenant, name: string, port: string) {
  const { tokens } = tenant
  const make = (path: string, envelope: string, body: object) => idOf(tenant, path, envelope, body)
  const volumeOf = Effect.fnUntraced(function* () {
    const id = yield* make("/volume/volumes", "volume", { size: 1, name })
    yield* polled(shown(tokens[0], `/volume/volumes/${id}`), (_) => _.volume.status === "available")
    return id
  })
  const volume = yield* volumeOf()
  const attached = yield* volumeOf()
  const offered = yield* volumeOf()
  const { id: transfer } = (yield* made(tokens[2], "/volume/os-volume-transfer", {
    transfer: { volume_id: offered, name }
  })).transfer
  const snapshot = yield* make("/volume/snapshots", "snapshot", { volume_id: volume, name })
  yield* polled(shown(tokens[0], `/volume/snapshots/${snapshot}`), (_) => _.snapshot.status === "available")

  yield* made(tokens[2], "/compute/os-keypairs", { keypair: { name } })
  const serverGroup = yield* make("/compute/os-server-groups", "server_group", { name, policies: ["anti-affinity"] })
  const server = yield* serverOf(tenant, name, {
    key_name: name,
    networks: [{ port }],
    metadata: { note: name }
  })
  yield* made(tokens[2], `/compute/servers/${server}/os-volume_attachments`, {
    volumeAttachment: { volumeId: attached }
  })
  const { volume: held } = yield* polled(
    shown(tokens[0], `/volume/volumes/${attached}`),
    (_) => _.volume.status === "in-use"
  )
  const attachment = String(held.attachments[0].attachment_id)
  return { volume, attached, attachment, snapshot, transfer: String(transfer), keypair: name, serverGroup, server }
})

const imageThings = Effect.fnUntraced(function* (tenant: Tenant, name: string) {
  const { projectId } = yield* Administrator
  const { tokens } = tenant
  const imageOf = Effect.fnUntraced(function* (visibility: string) {
    const body = { name, visibility, disk_format: "raw", container_format: "bare", tags: [name] }
    const id = yield* idOf(tenant, "/image/images", undefined, body)
    const octets = { "content-type": "application/octet-stream" }
    yield* through(tokens[2], "PUT", `/image/images/${id}/file`, { body: name, headers: octets })
    return id
  })
  const sharedImage = yield* imageOf("shared")
  yield* made(tokens[2], `/image/images/${sharedImage}/members`, { member: projectId })
  return { image: yield* imageOf("private"), sharedImage, communityImage: yield* imageOf("community") }
})

const dnsThings = Effect.fnUntraced(function* (tenant: Tenant, name: string) {
  const zoneName = `${name}.example.`
  const zone = yield* idOf(tenant, "/dns/zones", undefined, { name: zoneName, email: "hostmaster@people.example" })
  const record = { name: `www.${zoneName}`, type: "A", records: ["192.0.2.9"] }
  const recordset = yield* idOf(tenant, `/dns/zones/${zone}/recordsets`, undefined, record)
  // Offered to somebody else; what is offered to anybody may be read by anybody.
  const { projectId } = yield* Administrator
  const zoneTransfer = yield* idOf(tenant, `/dns/zones/${zone}/tasks/transfer_requests`, undefined, {
    description: name,
    target_project_id: projectId
  })
  const zoneExport = yield* idOf(tenant, `/dns/zones/${zone}/tasks/export`, undefined, {})
  return { zone, zoneName, recordset, zoneTransfer, zoneExport }
})

const balancingThings = Effect.fnUntraced(function* (tenant: Tenant, name: string, subnet: string) {
  const root = "/load-balancer/lbaas"
  const balancer = yield* idOf(tenant, `${root}/loadbalancers`, "loadbalancer", { name, vip_subnet_id: subnet })
  const settled = polled(
    shown(tenant.tokens[0], `${root}/loadbalancers/${balancer}`),
    (_) => _.loadbalancer.provisioning_status === "ACTIVE"
  )
  yield* settled
  const make = Effect.fnUntraced(function* (path: string, envelope: string, body: object) {
    const id = yield* idOf(tenant, `${root}/${path}`, envelope, { name, ...body })
    yield* settled
    return id
  })
  const listener = yield* make("listeners", "listener", {
    loadbalancer_id: balancer,
    protocol: "HTTP",
    protocol_port: 80
  })
  const pool = yield* make("pools", "pool", {
    loadbalancer_id: balancer,
    protocol: "HTTP",
    lb_algorithm: "ROUND_ROBIN"
  })
  const member = yield* make(`pools/${pool}/members`, "member", { address: "10.0.0.99", protocol_port: 8080 })
  const monitor = yield* make("healthmonitors", "healthmonitor", {
    pool_id: pool,
    type: "HTTP",
    delay: 5,
    timeout: 3,
    max_retries: 3
  })
  const l7policy = yield* make("l7policies", "l7policy", { listener_id: listener, action: "REJECT" })
  const l7rule = yield* idOf(tenant, `${root}/l7policies/${l7policy}/rules`, "rule", {
    type: "PATH",
    compare_type: "STARTS_WITH",
    value: `/${name}`
  })
  yield* settled
  return { balancer, listener, pool, member, monitor, l7policy, l7rule }
})

const secretThings = Effect.fnUntraced(function* ({ tokens }: Tenant, name: string) {
  const root = "/key-manager/v1"
  const last = (ref: unknown) => String(ref).split("/").at(-1) ?? ""
  const kept = { name, payload: `payload of ${name}`, payload_content_type: "text/plain" }
  const { secret_ref } = yield* made(tokens[2], `${root}/secrets`, kept)
  const held = { name, type: "generic", secret_refs: [{ name, secret_ref }] }
  const { container_ref } = yield* made(tokens[2], `${root}/containers`, held)
  const { order_ref } = yield* made(tokens[2], `${root}/orders`, {
    type: "key",
    meta: { name, algorithm: "aes", bit_length: 256, mode: "cbc", payload_content_type: "application/octet-stream" }
  })
  return {
    secret: last(secret_ref),
    secretRef: String(secret_ref),
    container: last(container_ref),
    order: last(order_ref)
  }
})
