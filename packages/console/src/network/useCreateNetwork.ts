import { useRef } from "react"
import * as v from "valibot"
import { oneOf } from "../platform/lists.ts"
import { platformCall } from "../platform/platform.ts"
import { type PlatformWrite, usePlatformSteps } from "../platform/usePlatform.ts"

export interface NewNetwork {
  readonly name: string
  readonly cidr: string
  /** The router that its subnet is connected to. */
  readonly routerId: string | undefined
}

const Identified = v.object({ id: v.string() })
const network = oneOf("network", Identified)
const subnet = oneOf("subnet", Identified)

export const networkWrite = (name: string): PlatformWrite => ({
  method: "POST",
  path: "network/networks",
  body: { network: { name } }
})

export const subnetWrite = (network_id: string, name: string, cidr: string): PlatformWrite => ({
  method: "POST",
  path: "network/subnets",
  body: { subnet: { network_id, name, cidr, ip_version: cidr.includes(":") ? 6 : 4 } }
})

export const interfaceWrite = (routerId: string, act: "add" | "remove", subnet_id: string): PlatformWrite => ({
  method: "PUT",
  path: `network/routers/${routerId}/${act}_router_interface`,
  body: { subnet_id }
})

const send = ({ body, method, path }: PlatformWrite) => platformCall(method, path, { body })

/**
 * Makes a network with one subnet at the router. A step that is refused is
 * tried again with what the steps before it have made: the network service
 * would make a second network of the same name.
 */
export const useCreateNetwork = (onDone: (id: string) => void) => {
  const made = useRef<{ network?: string; subnet?: string }>({})
  return usePlatformSteps(async ({ cidr, name, routerId }: NewNetwork) => {
    const networkId = (made.current.network ??= v.parse(network, await send(networkWrite(name))).id)
    const subnetId = (made.current.subnet ??= v.parse(subnet, await send(subnetWrite(networkId, name, cidr))).id)
    if (routerId !== undefined) await send(interfaceWrite(routerId, "add", subnetId))
    made.current = {}
    onDone(networkId)
  })
}
