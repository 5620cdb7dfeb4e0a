import type { JsonObject } from "../Json.ts"

/** The duration of a build, and of every other operation that Nova answers with 202. */
export const serverDelay = 2000

export interface Flavor {
  readonly id: string
  readonly name: string
  readonly vcpus: number
  readonly ram: number
  readonly disk: number
  /** A world that an earlier release saved has none. */
  readonly extra_specs?: Readonly<Record<string, string>>
}

export type VmState =
  | "building"
  | "active"
  | "stopped"
  | "paused"
  | "suspended"
  | "rescued"
  | "resized"
  | "shelved"
  | "shelved_offloaded"
  | "error"
  | "deleted"

/** The pending change of a server, and when it is done. */
export interface Due {
  readonly at: number
  readonly vm_state: VmState
}

export interface Server {
  readonly id: string
  readonly project_id: string
  readonly user_id: string
  name: string
  description: string | null
  flavor_id: string
  /** The flavor before an unconfirmed resize; the quota counts both. */
  old_flavor_id: string | null
  image_id: string | null
  readonly key_name: string | null
  /** Network ids, as asked for. */
  readonly networks: ReadonlyArray<string>
  security_groups: ReadonlyArray<string>
  metadata: Readonly<Record<string, string>>
  /** Absent for none. */
  tags?: ReadonlyArray<string>
  /** In base64, as it was sent. */
  readonly user_data?: string | null
  readonly availability_zone: string
  vm_state: VmState
  task_state: string | null
  locked_by: "owner" | "admin" | null
  /** Absent for none. */
  access_ip_v4?: string
  /** Absent for none. */
  access_ip_v6?: string
  /** Absent for `MANUAL`. */
  disk_config?: string
  /** The power state before an unconfirmed resize, which the resize keeps. */
  resized_from?: VmState
  /** Of the image that a shelved server is made from again. */
  shelved_image_id?: string
  /** The servers of one request have it in common. A world that an earlier release saved has none. */
  readonly reservation_id?: string
  /** The server group that it was scheduled with. */
  readonly group_id?: string | undefined
  readonly created_at: number
  updated_at: number
  due: Due | null
}

/** A port that a server holds. */
export interface Interface {
  /** The port's. */
  readonly id: string
  readonly server_id: string
  /** Whether Nova created the port and deletes it with the server. */
  readonly made: boolean
}

export interface ServerGroup {
  readonly id: string
  readonly project_id: string
  readonly user_id: string
  readonly name: string
  readonly policy: string
  readonly rules: JsonObject
  readonly created_at: number
}

/** An action on a server, keyed by its request id, its server and its name. */
export interface InstanceAction {
  readonly id: string
  readonly action: string
  readonly server_id: string
  readonly user_id: string
  readonly project_id: string
  readonly started_at: number
}

/** A keypair belongs to a user, not to a project. */
export interface Keypair {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly type: string
  readonly public_key: string
  readonly fingerprint: string
  readonly created_at: number
}

export interface NovaState {
  readonly flavors: Record<string, Flavor>
  readonly servers: Record<string, Server>
  /** Servers whose deletion is done, which lists by time of change still show. */
  readonly deletedServers: Record<string, Server>
  readonly keypairs: Record<string, Keypair>
  /** By port id. */
  readonly interfaces: Record<string, Interface>
  readonly server_groups: Record<string, ServerGroup>
  readonly instance_actions: Record<string, InstanceAction>
  /** The quotas that an administrator has set, by project; a missing key means the default. */
  readonly quotas: Record<string, Readonly<Record<string, number>>>
}

/** Those of the flavors of a stock development cloud. */
const extra_specs = { "hw_rng:allowed": "True" }

export const nova = (): NovaState => ({
  flavors: {
    "2": { id: "2", name: "m1.small", vcpus: 1, ram: 2048, disk: 20, extra_specs },
    "3": { id: "3", name: "m1.medium", vcpus: 2, ram: 4096, disk: 40, extra_specs },
    "4": { id: "4", name: "m1.large", vcpus: 4, ram: 8192, disk: 80, extra_specs }
  },
  servers: {},
  deletedServers: {},
  keypairs: {},
  interfaces: {},
  server_groups: {},
  instance_actions: {},
  quotas: {}
})

/** Applies every change that is due. */
export const settleNova = (nova: NovaState, now: number): void => {
  for (const server of Object.values(nova.servers)) {
    if (server.due === null || server.due.at > now) continue
    const { at, vm_state } = server.due
    if (vm_state === "deleted") {
      delete nova.servers[server.id]
      nova.deletedServers[server.id] = server
    }
    server.vm_state = vm_state
    server.task_state = null
    server.updated_at = at
    server.due = null
  }
}
