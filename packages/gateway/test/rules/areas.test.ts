import { assert, describe, it } from "@effect/vitest"
import type { PermissionTier } from "@portico/contract/Access"
import { type IaasService, iaasServices } from "@portico/contract/IaasServices"
import { acts } from "@portico/gateway/acts/acts"
import { table as barbicanRoutes } from "@portico/simulator/barbican/routes"
import { cinderRoutes } from "@portico/simulator/cinder/routes"
import { table as designateRoutes } from "@portico/simulator/designate/routes"
import { glanceRoutes } from "@portico/simulator/glance/routes"
import { neutronRoutes } from "@portico/simulator/neutron/routes"
import { novaRoutes } from "@portico/simulator/nova/routes"
import { octaviaRoutes } from "@portico/simulator/octavia/routes"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { documented } from "../oracle/documented.ts"
import { type By, judge } from "./judge.ts"
import { anId } from "./Spelling.ts"

type Areas = Readonly<Partial<Record<IaasService, PermissionTier>>>

/** A call, and the areas besides its service's own whose denial refuses it, each with the tier by which it does. */
interface Row {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly areas: Areas
  readonly headers?: Readonly<Record<string, string>>
}

const row = (method: string, path: string, areas: Areas, body?: unknown): Row => ({
  method,
  path: path.replaceAll("*", anId),
  areas,
  ...(body === undefined ? {} : { body })
})

/** Every method of a path, by the tier that each needs. */
const all = (path: string, ...areas: ReadonlyArray<IaasService>): ReadonlyArray<Row> =>
  (
    [
      ["GET", 0],
      ["HEAD", 0],
      ["POST", 1],
      ["PUT", 1],
      ["PATCH", 1],
      ["DELETE", 2]
    ] as const
  ).map(([method, tier]) => row(method, path, Object.fromEntries(areas.map((_) => [_, tier]))))

const patched = (areas: Areas, change: object): Row => ({
  ...row("PATCH", "/image/images/*", areas, [change]),
  headers: { "content-type": "application/openstack-images-v2.1-json-patch" }
})

const server = (more: object) => ({
  server: { name: "web", flavorRef: "1", imageRef: anId, networks: "auto", ...more }
})
const booted = (...devices: ReadonlyArray<object>) => server({ block_device_mapping_v2: devices })
const attachment = (more: object) => ({ volumeAttachment: { volumeId: anId, ...more } })
const kept = { source_type: "volume", uuid: anId, destination_type: "volume" }
const ending = { ...kept, delete_on_termination: true }

const ended = { cinder_encryption_key_deletion_policy: "on_image_deletion" }

const computeRows: ReadonlyArray<Row> = [
  // APIs of other services that compute passes on.
  ...["images", "images/detail", "images/*", "images/*/metadata", "images/*/metadata/*"].flatMap((_) =>
    all(`/compute/${_}`, "image")
  ),
  ...["os-volumes", "os-snapshots"]
    .flatMap((_) => [_, `${_}/detail`, `${_}/*`])
    .flatMap((_) => all(`/compute/${_}`, "volume")),
  ...[
    "os-networks",
    "os-networks/*",
    "os-tenant-networks",
    "os-tenant-networks/*",
    "os-security-groups",
    "os-security-groups/*",
    "os-security-group-rules",
    "os-security-group-rules/*",
    "os-security-group-default-rules",
    "os-floating-ips",
    "os-floating-ips/*",
    "os-floating-ip-pools",
    "servers/*/os-interface",
    "servers/*/os-interface/*",
    "servers/*/os-virtual-interfaces",
    "servers/*/os-security-groups"
  ].flatMap((_) => all(`/compute/${_}`, "network")),
  ...["os-floating-ip-dns", "os-floating-ip-dns/*", "os-floating-ip-dns/*/entries/*"].flatMap((_) =>
    all(`/compute/${_}`, "dns", "network")
  ),
  // Other spellings that a service might take for these.
  ...["OS-Volumes/*", "os_volumes/*", "os-volumes.json"].flatMap((_) => all(`/compute/${_}`, "volume")),
  // Acts of a server.
  ...["servers", "os-volumes_boot"].flatMap((_) => {
    const act = (key: string, areas: Areas) => row("POST", `/compute/${_}/*/action`, areas, { [key]: {} })
    return [
      act("createImage", { image: 1, volume: 1 }),
      act("CreateImage", { image: 1, volume: 1 }),
      act("createBackup", { image: 2 }),
      act("addFixedIp", { network: 1 }),
      act("removeFixedIp", { network: 1 }),
      act("addFloatingIp", { network: 1 }),
      act("removeFloatingIp", { network: 1 }),
      act("addSecurityGroup", { network: 1 }),
      act("removeSecurityGroup", { network: 1 }),
      act("reboot", {}),
      act("resize", {}),
      act("rescue", {}),
      act("rebuild", { volume: 2 }),
      act("shelve", { image: 1 }),
      act("unshelve", { image: 1 }),
      act("shelveOffload", {}),
      act("forceDelete", {})
    ]
  }),
  // Labels of a copy are properties of its image, and name secrets.
  ...["servers", "os-volumes_boot"].flatMap((_) => {
    const act = (key: string, more: object, areas: Areas) =>
      row("POST", `/compute/${_}/*/action`, areas, { [key]: more })
    const copy = (metadata: object, more: Areas) =>
      act("createImage", { name: "x", metadata }, { image: 1, volume: 1, ...more })
    return [
      copy({ cinder_encryption_key_id: anId }, { "key-manager": 0 }),
      copy(ended, { "key-manager": 2 }),
      copy({ note: "cinder_encryption_key_id" }, {}),
      act("createBackup", { rotation: 1, metadata: ended }, { image: 2, "key-manager": 2 }),
      act("rebuild", { imageRef: anId, trusted_image_certificates: ["cert"] }, { volume: 2, "key-manager": 0 }),
      act("rebuild", { imageRef: anId, trusted_image_certificates: [] }, { volume: 2 })
    ]
  }),
  row("POST", "/compute/images/*/metadata", { image: 1, "key-manager": 2 }, { metadata: ended }),
  row("PUT", "/compute/images/*/metadata/x", { image: 1, "key-manager": 2 }, { meta: ended }),
  // A server with volumes, and one without.
  ...["servers", "os-volumes_boot"].flatMap((_) => {
    const create = (areas: Areas, body: unknown) => row("POST", `/compute/${_}`, areas, body)
    return [
      create({}, server({})),
      create({}, server({ networks: [{ uuid: anId, fixed_ip: "10.0.0.9" }], security_groups: [{ name: "default" }] })),
      create({}, server({ block_device_mapping_v2: [], block_device_mapping: null })),
      create({}, booted({ source_type: "image", uuid: anId, destination_type: "local" })),
      create({}, booted({ source_type: "blank", volume_size: 1 })),
      create({}, booted({ source_type: "image", uuid: anId })),
      create({ volume: 1, image: 0 }, booted({ source_type: "image", uuid: anId, destination_type: "volume" })),
      create({ volume: 1 }, booted({ source_type: "blank", destination_type: "volume", delete_on_termination: true })),
      create({ volume: 1 }, booted({ source_type: "snapshot", uuid: anId })),
      create({ volume: 1 }, booted(kept)),
      create({ volume: 1 }, booted({ source_type: "volume", uuid: anId })),
      create({ volume: 1 }, booted({ source_type: "volume", uuid: anId, destination_type: "local" })),
      create({ volume: 1 }, booted({ source_type: "snapshot", uuid: anId, destination_type: "local" })),
      create({ "key-manager": 0 }, server({ trusted_image_certificates: ["cert"] })),
      create({ volume: 1 }, booted({ ...kept, delete_on_termination: false })),
      create({ volume: 1 }, booted({ ...kept, delete_on_termination: "No" })),
      create({ volume: 2 }, booted(ending)),
      create({ volume: 2 }, booted({ ...kept, delete_on_termination: "yes" })),
      create({ volume: 1 }, booted({ source_type: "blank", volume_id: anId })),
      create({ volume: 2 }, booted({ source_type: "blank", volume_id: anId, delete_on_termination: true })),
      create({ volume: 2 }, booted({ source_type: "image", uuid: anId, destination_type: "local" }, ending)),
      create({ volume: 1 }, server({ block_device_mapping: [{ device_name: "vda", snapshot_id: anId }] })),
      create({ volume: 1 }, server({ block_device_mapping: [{ device_name: "vda", volume_id: anId }] })),
      create({ volume: 2 }, server({ block_device_mapping: [{ volume_id: anId, delete_on_termination: "1" }] })),
      create({ network: 1 }, server({ networks: [{ uuid: anId }, { port: anId }] }))
    ]
  }),
  // Volumes of a server.
  row("GET", "/compute/servers/*/os-volume_attachments", { volume: 0 }),
  row("GET", "/compute/servers/*/os-volume_attachments/*", { volume: 0 }),
  row("POST", "/compute/servers/*/os-volume_attachments", { volume: 1 }, attachment({})),
  row("POST", "/compute/servers/*/os-volume_attachments", { volume: 2 }, attachment({ delete_on_termination: "on" })),
  row("PUT", "/compute/servers/*/os-volume_attachments/*", { volume: 1 }, attachment({ delete_on_termination: "off" })),
  row("PUT", "/compute/servers/*/os-volume_attachments/*", { volume: 2 }, attachment({ delete_on_termination: true })),
  // It detaches, and destroys nothing.
  row("DELETE", "/compute/servers/*/os-volume_attachments/*", { volume: 1 }),
  ...[
    "servers/*",
    "servers/detail",
    "servers/*/ips",
    "servers/*/metadata",
    "servers/*/topology",
    "os-keypairs"
  ].flatMap((_) => all(`/compute/${_}`))
]

const domain = { dns_domain: "example.org.", dns_name: "www" }

const otherRows: ReadonlyArray<Row> = [
  row("POST", "/volume/volumes", {}, { volume: { size: 1 } }),
  row("POST", "/volume/volumes", {}, { volume: { size: 1, imageRef: null } }),
  row("POST", "/volume/volumes", {}, { volume: { size: 1, metadata: { image_id: "note" } } }),
  row("POST", "/volume/volumes", { image: 0 }, { volume: { size: 1, imageRef: anId } }),
  row("POST", "/volume/volumes", { image: 0 }, { volume: { size: 1, image_id: anId } }),
  row("POST", "/volume/volumes/*/action", { image: 1 }, { "os-volume_upload_image": { image_name: "copy" } }),
  row("POST", "/volume/volumes/*/action", { image: 0 }, { "os-reimage": { image_id: anId } }),
  row("POST", "/volume/volumes/*/action", {}, { "os-extend": { new_size: 2 } }),
  ...["networks", "ports", "floatingips"].flatMap((_) => {
    const one = _.slice(0, -1)
    return [
      row("POST", `/network/${_}`, {}, { [one]: { name: "x" } }),
      row("POST", `/network/${_}`, {}, { [one]: { dns_name: "", dns_domain: "" } }),
      row("POST", `/network/${_}`, { dns: 1 }, { [one]: domain }),
      row("POST", `/network/${_}`, { dns: 1 }, { [_]: [{}, domain] }),
      row("POST", `/network/qos/${_}`, { dns: 1 }, { [one]: domain }),
      row("PUT", `/network/${_}/*`, { dns: 2 }, { [one]: { dns_name: "" } }),
      row("PUT", `/network/${_}/*`, { dns: 1 }, { [one]: { dns_name: "www" } }),
      row("PUT", `/network/${_}/*`, {}, { [one]: { name: "y" } }),
      row("DELETE", `/network/${_}/*`, {})
    ]
  }),
  row("POST", "/network/subnets", { dns: 1 }, { subnet: { dns_publish_fixed_ip: true } }),
  row("POST", "/network/subnets", {}, { subnet: { dns_nameservers: ["9.9.9.9"] } }),
  ...all("/network/lbaas/loadbalancers", "load-balancer"),
  row("POST", "/load-balancer/lbaas/loadbalancers", {}, { loadbalancer: { vip_subnet_id: anId } }),
  row("POST", "/load-balancer/lbaas/loadbalancers", { network: 1 }, { loadbalancer: { vip_port_id: anId } }),
  row(
    "POST",
    "/load-balancer/lbaas/loadbalancers",
    { "key-manager": 0 },
    { loadbalancer: { listeners: [{ default_tls_container_ref: "ref" }] } }
  ),
  row("POST", "/load-balancer/lbaas/listeners", { "key-manager": 0 }, { listener: { sni_container_refs: ["ref"] } }),
  row("POST", "/load-balancer/lbaas/listeners", {}, { listener: { sni_container_refs: [], protocol: "HTTP" } }),
  row(
    "PUT",
    "/load-balancer/lbaas/listeners/*",
    { "key-manager": 0 },
    { listener: { client_crl_container_ref: "ref" } }
  ),
  row("POST", "/load-balancer/lbaas/pools", { "key-manager": 0 }, { pool: { ca_tls_container_ref: "ref" } }),
  row("GET", "/dns/reverse/floatingips", { network: 0 }),
  row("PATCH", "/dns/reverse/floatingips/RegionOne:*", { network: 0 }, { ptrdname: "www.example.org." }),
  row("GET", "/dns/zones", {}),
  row("POST", "/load-balancer/lbaas/listeners", {}, { listener: { insert_headers: { tls_container_ref: "x" } } }),
  row("GET", "/dns/reverse/floatingips/index", { network: 0 }),
  row("POST", "/image/images", {}, { name: "x" }),
  row("POST", "/image/images", { "key-manager": 2 }, { cinder_encryption_key_id: anId, ...ended }),
  row("POST", "/image/images", { "key-manager": 0 }, { img_signature_certificate_uuid: anId }),
  row("POST", "/image/images", { "key-manager": 0 }, { os_encrypt_key_id: anId }),
  row("POST", "/image/images", { "key-manager": 2 }, { os_encrypt_key_deletion_policy: "on_image_deletion" }),
  patched({ "key-manager": 0 }, { op: "add", path: "/img_signature_certificate_uuid", value: anId }),
  patched({ "key-manager": 2 }, { op: "replace", path: "/cinder_encryption_key_deletion_policy", value: "x" }),
  patched({}, { op: "add", path: "/note", value: "img_signature_certificate_uuid" }),
  row("POST", "/volume/volumes/*/action", { "key-manager": 2 }, { "os-set_image_metadata": { metadata: ended } }),
  row("POST", "/volume/volumes/*/action", {}, { "os-set_image_metadata": { metadata: { note: "x" } } })
]

const rows = [...computeRows, ...otherRows]

const denying = (area: string, from: PermissionTier): By => ({
  who: "machine",
  tier: 2,
  denies: [{ area, from, deny: area, ou: "" }]
})

const serviceOf = ({ path }: Pick<Row, "path">): string => path.split("/")[1] ?? ""

describe("a policy's deny of an area", () => {
  it.effect("refuses other services' calls that act on it at its tier or above, and no others", () =>
    Effect.gen(function* () {
      const wrong: Array<string> = []
      for (const call of rows) {
        // What no tenant may call is refused with and without the policy.
        const without = yield* judge(call, { who: "machine", tier: 2 })
        for (const area of iaasServices) {
          if (area === serviceOf(call)) continue
          for (const from of [0, 1, 2] as const) {
            const said = yield* judge(call, denying(area, from))
            const denied = (call.areas[area] ?? -1) >= from
            const expected = denied ? "policy_denied" : without
            if (said !== expected) {
              wrong.push(`${call.method} ${call.path} ${JSON.stringify(call.body)}, ${area} from ${from}: ${said}`)
            }
          }
        }
        assert.strictEqual(yield* judge(call, "operator"), "allowed")
      }
      assert.deepStrictEqual(wrong, [])
    })
  )
})

/** What a path may speak of that is another service's, by the word for it. */
const words: Readonly<Record<string, IaasService>> = {
  address: "network",
  backup: "volume",
  certificate: "key-manager",
  container: "key-manager",
  dns: "dns",
  domain: "dns",
  fixed: "network",
  flavor: "compute",
  floating: "network",
  image: "image",
  instance: "compute",
  interface: "network",
  ip: "network",
  ips: "network",
  listener: "load-balancer",
  loadbalancer: "load-balancer",
  network: "network",
  pool: "load-balancer",
  port: "network",
  project: "identity",
  recordset: "dns",
  router: "network",
  secret: "key-manager",
  security: "network",
  server: "compute",
  share: "volume",
  snapshot: "volume",
  subnet: "network",
  volume: "volume",
  zone: "dns"
}

/** Paths that speak of another service's things, and act on none of them; each with the reason. */
const alone: Readonly<Record<string, string>> = {
  "compute os-availability-zone": "zones of hosts",
  "compute os-availability-zone/detail": "zones of hosts, and no tenant's",
  "compute os-certificates": "certificates of an earlier cloud, which are compute's",
  "compute os-aggregates/*/images": "no tenant's",
  "compute os-assisted-volume-snapshots": "no tenant's",
  "compute os-fixed-ips/*/action": "no tenant's",
  "compute os-floating-ips-bulk": "no tenant's",
  "compute os-floating-ips-bulk/delete": "no tenant's",
  "compute os-networks/*/action": "no tenant's",
  "compute os-networks/add": "no tenant's",
  "compute os-cloudpipe/configure-project": "no tenant's",
  "compute os-volumes_boot/*": "a server, by its older path",
  "compute os-volumes_boot/detail": "servers, by their older path",
  "compute servers/*/ips": "the addresses of a server are a part of it",
  "compute servers/*/ips/*": "the addresses of a server are a part of it",
  "compute servers/*/shares": "shares are of no area",
  "volume os-availability-zone": "zones of storage",
  "network availability_zones": "zones of network nodes",
  "network flavors": "flavors of routers",
  "network flavors/*": "flavors of routers",
  "network flavors/*/service_profiles": "flavors of routers",
  "dns pools": "pools of name servers",
  "dns pools/*": "pools of name servers",
  "dns zones/*/shares": "shares of zones",
  "dns zones/*/tasks/pool_move": "pools of name servers",
  "load-balancer lbaas/flavors": "flavors of load balancers",
  "load-balancer lbaas/flavors/*": "flavors of load balancers",
  "key-manager v1/project-quotas": "quotas of secrets",
  "key-manager v1/project-quotas/*": "quotas of secrets"
}

const below = (path: string, root: RegExp): string =>
  path
    .replace(root, "")
    .replace(/(\.json|\/)$/, "")
    .replaceAll(/:[a-z_]+/gi, "*")

const mounted: ReadonlyArray<readonly [service: keyof typeof documented, root: RegExp, routes: object]> = [
  ["compute", /^\/v2\.1\/(:project\/)?/, novaRoutes],
  ["volume", /^\/v3\/(:project\/)?/, cinderRoutes],
  ["network", /^\/v2\.0\//, neutronRoutes],
  ["image", /^\/v2\//, glanceRoutes],
  ["dns", /^\/v2\//, designateRoutes],
  ["load-balancer", /^\/v2(\.0)?\//, octaviaRoutes],
  ["key-manager", /^\//, barbicanRoutes]
]

/** Every path that the references document, and every one of the simulated cloud. */
const paths = mounted.flatMap(([service, root, table]) => [
  ...Object.values(documented[service]).flatMap((_) =>
    _.split("\n").flatMap((line) => {
      const path = line.trim().split(" ")[1]
      return path === undefined ? [] : [`${service} ${path}`]
    })
  ),
  ...Object.keys(table).flatMap((route) => {
    const path = route.split(" ")[1] ?? ""
    return root.test(path) ? [`${service} ${below(path, root)}`] : []
  })
])

describe("the paths of the services", () => {
  const speaking = [...new Set(paths)].filter((_) => {
    const [service = "", path = ""] = _.split(" ")
    const spoken = path
      .toLowerCase()
      .split(/[^a-z]+/)
      .map((word) => words[word] ?? words[word.replace(/s$/, "")])
    return spoken.some((area) => area !== undefined && area !== service)
  })
  const decided = rows.map((_) => {
    const [, service = "", ...segments] = _.path.split("/")
    return `${service} ${segments.map((part) => (part === anId ? "*" : part)).join("/")}`
  })

  it("have another service's area when they act on it, or a reason", () => {
    assert.isAbove(speaking.length, 40)
    const open = speaking.filter((_) => alone[_] === undefined && !decided.includes(_))
    assert.deepStrictEqual(open, [])
    assert.deepStrictEqual(
      Object.keys(alone).filter((_) => !speaking.includes(_)),
      []
    )
  })

  it("are listed in the policy's page if they act on another area", () => {
    const page = readFileSync(new URL("../../../../docs/tenants/policy.md", import.meta.url), "utf8")
    for (const act of acts.filter((_) => Object.keys(_.actsOn ?? {}).length > 0)) {
      const name = act.key ?? act.path.replace(/\/\*\*$/, "").replaceAll("*", "{id}")
      assert.include(page, `\`${name}`, `${act.service} ${act.path}`)
    }
  })
})
