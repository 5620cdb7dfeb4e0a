import type { LifecycleKind } from "@portico/contract/Events"

export const id = "8c2f6b0e-8f5d-4f0b-9a39-2f1f0a6a7c55"
export const project = "1b7e0c9a5d7b4b0f9e0d4a1c2b3f4e5d"

/** `METHOD service path`, `*` for the id; the JSON of request and answer; the kind, the type where the kind does not begin with it, and the detail. */
export interface Door {
  readonly call: string
  readonly request?: unknown
  readonly answer?: unknown
  readonly kind: LifecycleKind
  readonly detail?: object
  readonly projectId?: string
  readonly type?: string
  readonly resource?: string
}

export const server = { id, links: [], adminPass: "secret", security_groups: [] }
export const created = { id, size: 10, volume_type: "ssd", status: "creating", "os-vol-tenant-attr:tenant_id": project }
export const address = { id, floating_ip_address: "203.0.113.7", project_id: project, status: "DOWN" }
export const act = "POST compute servers/*/action"
export const actOnVolume = "POST volume volumes/*/action"

/** Every call that begins, changes or ends something billable. */
export const doors: ReadonlyArray<Door> = [
  {
    call: "POST compute servers",
    request: { server: { name: "a", flavorRef: "small", imageRef: "i" } },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "small" }
  },
  {
    call: "POST compute servers",
    request: {
      server: { name: "a", flavorRef: `http://${"a".repeat(300)}/v2.1/flavors/small?a=/b#/c`, imageRef: "i" }
    },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "small" }
  },
  {
    call: "POST compute servers",
    request: { server: { name: "a", flavorRef: 7, min_count: "2", max_count: 5 }, "os:scheduler_hints": {} },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "7", min_count: 2, max_count: 5 }
  },
  {
    call: "POST compute servers",
    request: { server: { flavorRef: "small", min_count: 3, max_count: 3, return_reservation_id: true } },
    answer: { reservation_id: "r-3fhpjulh" },
    kind: "server.create",
    type: "reservation",
    resource: "r-3fhpjulh",
    detail: { flavor: "small", min_count: 3, max_count: 3 }
  },
  {
    call: "POST compute servers",
    request: { server: { min_count: 1, max_count: 1 } },
    answer: { server },
    kind: "server.create"
  },
  { call: "POST compute servers", answer: { server }, kind: "server.create" },
  {
    call: "POST compute os-volumes_boot",
    request: { server: { flavorRef: "small" } },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "small" }
  },
  { call: "DELETE compute servers/*", kind: "server.delete" },
  { call: act, request: { forceDelete: null }, kind: "server.delete" },
  { call: act, request: { restore: null }, kind: "server.restore" },
  { call: act, request: { "os-start": null }, kind: "server.start" },
  { call: act, request: { "os-stop": null }, kind: "server.stop" },
  { call: act, request: { reboot: { type: "Hard" } }, kind: "server.reboot", detail: { reboot: "HARD" } },
  { call: act, request: { pause: null }, kind: "server.pause" },
  { call: act, request: { unpause: null }, kind: "server.unpause" },
  { call: act, request: { suspend: null }, kind: "server.suspend" },
  { call: act, request: { resume: null }, kind: "server.resume" },
  { call: act, request: { shelve: null }, kind: "server.shelve" },
  { call: act, request: { shelveOffload: null }, kind: "server.shelve_offload" },
  { call: act, request: { unshelve: { availability_zone: "b" } }, kind: "server.unshelve" },
  { call: act, request: { rescue: { adminPass: "secret" } }, answer: { adminPass: "secret" }, kind: "server.rescue" },
  { call: act, request: { unrescue: null }, kind: "server.unrescue" },
  { call: act, request: { resize: { flavorRef: "big" } }, kind: "server.resize", detail: { flavor: "big" } },
  {
    call: act,
    request: { resize: { flavorRef: "http://a/flavors/big" } },
    kind: "server.resize",
    detail: { flavor: "http://a/flavors/big" }
  },
  { call: act, request: { confirmResize: null }, kind: "server.confirm_resize" },
  { call: act, request: { revertResize: null }, kind: "server.revert_resize" },
  {
    call: "POST volume volumes",
    request: { volume: { size: 10 } },
    answer: { volume: created },
    kind: "volume.create",
    detail: { size_gb: 10, volume_type: "ssd" },
    projectId: project
  },
  { call: "POST volume volumes", answer: { volume: { id, size: null, volume_type: null } }, kind: "volume.create" },
  { call: "POST volume manageable_volumes", answer: { volume: { id } }, kind: "volume.create" },
  { call: "POST volume os-volume-manage", answer: { volume: { id } }, kind: "volume.create" },
  {
    call: "POST compute os-volumes",
    answer: { volume: { id, size: 10, volumeType: "ssd" } },
    kind: "volume.create",
    detail: { size_gb: 10, volume_type: "ssd" }
  },
  {
    call: "POST volume backups/*/restore",
    request: { restore: { name: "new", volume_id: null } },
    answer: { restore: { backup_id: "b", volume_id: id, volume_name: "new" } },
    kind: "volume.create"
  },
  { call: "DELETE volume volumes/*", kind: "volume.delete" },
  { call: "DELETE compute os-volumes/*", kind: "volume.delete" },
  { call: actOnVolume, request: { "os-force_delete": {} }, kind: "volume.delete" },
  { call: actOnVolume, request: { "os-unmanage": {} }, kind: "volume.delete" },
  { call: actOnVolume, request: { "os-extend": { new_size: "20" } }, kind: "volume.extend", detail: { size_gb: 20 } },
  {
    call: actOnVolume,
    request: { "os-retype": { new_type: "hdd", migration_policy: "never" } },
    kind: "volume.retype",
    detail: { volume_type: "hdd" }
  },
  {
    call: "POST volume volume-transfers/*/accept",
    request: { accept: { auth_key: "secret" } },
    answer: { transfer: { id: "t", name: "n", volume_id: id } },
    kind: "volume.transfer"
  },
  {
    call: "POST volume os-volume-transfer/*/accept",
    answer: { transfer: { id: "t", volume_id: id } },
    kind: "volume.transfer"
  },
  {
    call: "POST network floatingips",
    answer: { floatingip: address },
    kind: "floating_ip.create",
    detail: { address: "203.0.113.7" },
    projectId: project
  },
  {
    call: "POST compute os-floating-ips",
    answer: { floating_ip: { id, ip: "203.0.113.7", pool: "public", instance_id: null } },
    kind: "floating_ip.create",
    detail: { address: "203.0.113.7" }
  },
  { call: "DELETE network floatingips/*", kind: "floating_ip.delete" },
  { call: "DELETE compute os-floating-ips/*", kind: "floating_ip.delete" },
  {
    call: "POST load-balancer lbaas/loadbalancers",
    answer: { loadbalancer: { id, project_id: project, provisioning_status: "PENDING_CREATE" } },
    kind: "load_balancer.create",
    projectId: project
  },
  { call: "DELETE load-balancer lbaas/loadbalancers/*", kind: "load_balancer.delete" }
]

export const callOf = (spelled: string, resource = id) => {
  const [method = "", service = "", path = ""] = spelled.split(" ")
  return { method, service, segments: path.replace("*", resource).split("/") }
}

export const bodies = ({ answer, request }: Door) => ({ requestJson: request, answerJson: answer })
