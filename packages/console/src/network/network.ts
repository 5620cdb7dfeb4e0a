import * as v from "valibot"
import { moment, text } from "../platform/lists.ts"

/** A network, as far as it is shown. */
export const Network = v.object({
  id: v.string(),
  name: text,
  status: text,
  subnets: v.optional(v.array(v.string()), []),
  "router:external": v.optional(v.boolean(), false),
  shared: v.optional(v.boolean(), false),
  mtu: v.nullish(v.number()),
  project_id: text,
  created_at: moment
})
export type Network = v.InferOutput<typeof Network>

export const Subnet = v.object({
  id: v.string(),
  name: text,
  network_id: v.string(),
  cidr: text,
  gateway_ip: text,
  enable_dhcp: v.optional(v.boolean(), false)
})
export type Subnet = v.InferOutput<typeof Subnet>

export const Port = v.object({
  id: v.string(),
  name: text,
  network_id: text,
  status: text,
  device_id: text,
  device_owner: text,
  fixed_ips: v.optional(v.array(v.object({ subnet_id: v.string(), ip_address: v.string() })), [])
})
export type Port = v.InferOutput<typeof Port>

export const Router = v.object({
  id: v.string(),
  name: text,
  external_gateway_info: v.nullish(v.object({ network_id: text }))
})
export type Router = v.InferOutput<typeof Router>

/** Things of the network need no name. */
export const nameOf = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  name === "" ? id : name

export const isServersPort = ({ device_owner }: Port): boolean => device_owner.startsWith("compute:")

/** The router that a subnet is connected to. */
export const routerOf = (subnet: Subnet, ports: ReadonlyArray<Port>): string | undefined =>
  ports.find(
    ({ device_owner, fixed_ips }) =>
      device_owner.startsWith("network:router_interface") && fixed_ips.some((_) => _.subnet_id === subnet.id)
  )?.device_id
