import { toMicros, toSecondsUtc } from "../times.ts"
import type { Request } from "./request.ts"
import { linksOf } from "./request.ts"
import { volumesOf } from "./attachments.ts"
import { portsOf } from "./interfaces.ts"
import type { Server, VmState } from "./state.ts"

const statuses: Readonly<Record<VmState, string>> = {
  building: "BUILD",
  active: "ACTIVE",
  stopped: "SHUTOFF",
  paused: "PAUSED",
  suspended: "SUSPENDED",
  rescued: "RESCUE",
  resized: "VERIFY_RESIZE",
  shelved: "SHELVED",
  shelved_offloaded: "SHELVED_OFFLOADED",
  error: "ERROR",
  deleted: "DELETED"
}

/** Tasks that determine the server's status. */
const taskStatuses: Readonly<Record<string, string>> = {
  rebooting: "REBOOT",
  rebooting_hard: "HARD_REBOOT",
  resize_prep: "RESIZE",
  resize_reverting: "REVERT_RESIZE"
}

export const statusOf = (server: Server): string => taskStatuses[server.task_state ?? ""] ?? statuses[server.vm_state]

/** libvirt's numbers of NOSTATE, RUNNING, PAUSED, SHUTDOWN and SUSPENDED. */
const powerOf = ({ vm_state }: Server): number =>
  vm_state === "building"
    ? 0
    : vm_state === "paused"
      ? 3
      : ["stopped", "shelved", "shelved_offloaded"].includes(vm_state)
        ? 4
        : vm_state === "suspended"
          ? 7
          : 1

export const summary = (request: Request, { id, name }: Server) => ({
  id,
  name,
  links: linksOf(request, "servers", id)
})

const flavorOf = (request: Request, id: string) => {
  if (request.minor < 47) return { id, links: linksOf(request, "flavors", id).slice(1) }
  const flavor = request.world.nova.flavors[id]
  return {
    vcpus: flavor?.vcpus,
    ram: flavor?.ram,
    disk: flavor?.disk,
    ephemeral: 0,
    swap: 0,
    original_name: flavor?.name,
    extra_specs: flavor?.extra_specs ?? {}
  }
}

const attached = ({ minor, world }: Request, server: Server) =>
  volumesOf(world, server).map(({ attachment, id }) => ({
    id,
    ...(minor < 3 ? {} : { delete_on_termination: attachment?.delete_on_termination })
  }))

/** The server's addresses by network name; a floating address follows its fixed address. */
export const addressesOf = ({ world }: Request, server: Server) => {
  const { floatingips, networks } = world.neutron
  const found = portsOf(world, server).flatMap((port) =>
    port.fixed_ips.flatMap(({ ip_address }) => {
      const common = { version: ip_address.includes(":") ? 6 : 4, "OS-EXT-IPS-MAC:mac_addr": port.mac_address }
      const floating = Object.values(floatingips).filter(
        (_) => _.port_id === port.id && _.fixed_ip_address === ip_address
      )
      return [
        { addr: ip_address, type: "fixed" },
        ...floating.map((_) => ({ addr: _.floating_ip_address, type: "floating" }))
      ].map(({ addr, type }) => ({
        network: networks[port.network_id]?.name ?? port.network_id,
        address: { addr, ...common, "OS-EXT-IPS:type": type }
      }))
    })
  )
  return Object.fromEntries(
    [...Map.groupBy(found, (_) => _.network)].map(([name, group]) => [name, group.map((_) => _.address)])
  )
}

export const showServer = (request: Request, server: Server) => ({
  ...summary(request, server),
  status: statusOf(server),
  tenant_id: server.project_id,
  user_id: server.user_id,
  metadata: server.metadata,
  hostId: server.vm_state === "building" ? "" : "9b1c4ad0f1a1c4c7f3d1c2f0c7d0b1a6f6c3d2e1a0b9c8d7e6f5a4b3",
  image:
    server.image_id === null
      ? ""
      : { id: server.image_id, links: linksOf(request, "images", server.image_id).slice(1) },
  flavor: flavorOf(request, server.flavor_id),
  created: toSecondsUtc(server.created_at),
  updated: toSecondsUtc(server.updated_at),
  addresses: server.vm_state === "building" ? {} : addressesOf(request, server),
  accessIPv4: server.access_ip_v4 ?? "",
  accessIPv6: server.access_ip_v6 ?? "",
  "OS-DCF:diskConfig": server.disk_config ?? "MANUAL",
  ...(["building", "active"].includes(server.vm_state) ? { progress: 0 } : {}),
  "OS-EXT-AZ:availability_zone": server.availability_zone,
  config_drive: "",
  key_name: server.key_name,
  "OS-SRV-USG:launched_at": server.vm_state === "building" ? null : toMicros(server.created_at),
  "OS-SRV-USG:terminated_at": null,
  // The groups of the server's ports, where they have any.
  ...(portsOf(request.world, server).length === 0 || server.security_groups.length === 0
    ? {}
    : { security_groups: server.security_groups.map((name) => ({ name })) }),
  "OS-EXT-STS:task_state": server.task_state,
  "OS-EXT-STS:vm_state": server.vm_state,
  "OS-EXT-STS:power_state": powerOf(server),
  "os-extended-volumes:volumes_attached": attached(request, server),
  ...(request.minor < 9 ? {} : { locked: server.locked_by !== null }),
  ...(request.minor < 19 ? {} : { description: server.description }),
  ...(request.minor < 26 ? {} : { tags: server.tags ?? [] }),
  ...(request.scope.admin ? { "OS-EXT-SRV-ATTR:host": "node1", "OS-EXT-SRV-ATTR:instance_name": "instance" } : {}),
  ...(request.scope.admin && request.minor >= 3
    ? { "OS-EXT-SRV-ATTR:reservation_id": server.reservation_id ?? null }
    : {})
})

/** What had been extensions of the API: a change answered without them until microversion 2.75. */
const extended = /^(?:OS-EXT-|OS-SRV-USG:|os-extended-volumes:|(?:config_drive|key_name|security_groups)$)/

/**
 * The server in the answer of a change.
 * @param kept the fields of an extension that this change shows nevertheless
 */
export const showChanged = (request: Request, server: Server, kept: ReadonlyArray<string> = []) => {
  const shown = showServer(request, server)
  if (request.minor >= 75) return shown
  return {
    ...Object.fromEntries(Object.entries(shown).filter(([key]) => !extended.test(key) || kept.includes(key))),
    addresses: plainAddresses(shown.addresses)
  }
}

type Address = { readonly addr: unknown; readonly version: unknown }

/** Addresses without what extensions add. */
export const plainAddresses = (
  addresses: Readonly<Record<string, ReadonlyArray<Address>>>
): Readonly<Record<string, ReadonlyArray<Address>>> =>
  Object.fromEntries(
    Object.entries(addresses).map(([name, group]) => [name, group.map(({ addr, version }) => ({ version, addr }))])
  )
