import * as v from "valibot"
import { listOf, text } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Network, Port, Router } from "./network.ts"

const servers = listOf("servers", v.object({ id: v.string(), name: text }))
const ports = listOf("ports", Port)
const routers = listOf("routers", Router)
const networks = listOf("networks", Network)

/** The names of servers, by which their ports are known. */
export const useServerNames = () => {
  const known = usePlatform(servers, "compute/servers?limit=1000").data ?? []
  return (id: string): string => known.find((_) => _.id === id)?.name ?? id
}

export const usePorts = () => usePlatform(ports, "network/ports")

/** The routers with an uplink: a subnet that is connected to one reaches the internet. */
export const useRouters = () => {
  const known = usePlatform(routers, "network/routers").data ?? []
  return known.filter((_) => _.external_gateway_info !== null && _.external_gateway_info !== undefined)
}

export const useExternalNetworks = () => usePlatform(networks, "network/networks?router%3Aexternal=True").data ?? []
