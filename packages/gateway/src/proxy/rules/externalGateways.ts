import { Forbidden } from "@portico/contract/Failures"
import { Effect } from "effect"
import { folded, isWrite, type JsonObject, memberOf, objectsFor, word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

/**
 * Tenants do not manage the external gateways of their routers (contract, Authentication 13). For all callers but
 * platform administrators the rule refuses every way to set, change or remove one: in a router, by its gateway
 * actions, by the topology that Neutron allocates on a mere read, by a server for which Nova requests such a network,
 * and by a port whose owner is a router.
 */
export const externalGateways = ruleAt({
  at: (call) => entryPointOf(call),
  reads: (entryPoint) => (entryPoint === "gateway" ? "head" : "body"),
  check: (entryPoint, { method }, body) =>
    isRefused(entryPoint, method, body) ? Forbidden.externalGateway() : Effect.void
})

const isRefused = (entryPoint: EntryPoint, method: string, body: unknown): boolean => {
  switch (entryPoint) {
    case "gateway":
      return true
    case "router":
      return objectsFor(body, "router").some(method === "POST" ? bringsGateway : touchesGateway)
    case "port":
      return objectsFor(body, "port").some((_) => isNetworkOwner(_["device_owner"]))
    case "server":
      return wantsAllocation(body)
  }
}

type EntryPoint = "gateway" | "router" | "port" | "server"

/**
 * Neutron also serves a collection behind the path prefix of any extension: `/qos/routers/{id}`. Behind `/extensions`
 * stands the name of an extension, which may be that of a collection.
 */
const entryPointOf = ({ caller, method, segments, service }: ConcernedCall): EntryPoint | undefined => {
  if (caller.admin) return undefined
  if (service === "network") {
    if (!isWrite(method) && segments.length === 2 && segments[0] === "extensions") return undefined
    return networkEntryPoint(method, segments, 0) ?? networkEntryPoint(method, segments, 1)
  }
  if (service === "compute" && method === "POST") return createsServer(segments) ? "server" : undefined
}

const networkEntryPoint = (method: string, segments: ReadonlyArray<string>, at: 0 | 1): EntryPoint | undefined => {
  switch (word(segments[at])) {
    case "auto-allocated-topology":
    case "auto-allocated-topologies":
      return "gateway"
    case "routers":
      if (!isWrite(method)) return undefined
      return word(segments[at + 2]).endsWith("-external-gateways") ? "gateway" : "router"
    case "ports":
      return isWrite(method) ? "port" : undefined
  }
}

/** `servers` and the deprecated `os-volumes_boot`, with or without a leading project id or a trailing slash. */
const createsServer = (segments: ReadonlyArray<string>): boolean => {
  const last = word(segments.at(segments.at(-1) === "" ? -2 : -1))
  return last === "servers" || last === "os-volumes-boot"
}

const gatewayKeys = ["external_gateway_info", "external_gateways"] as const

/** A new router may state that it has none. */
const bringsGateway = (router: JsonObject): boolean =>
  gatewayKeys.some((_) => router[_] !== undefined && router[_] !== null)

/** Null and {} remove the gateway, and any other value enables its SNAT again. */
const touchesGateway = (router: JsonObject): boolean => gatewayKeys.some((_) => Object.hasOwn(router, _))

/** Neutron compares the owner exactly, but its database may ignore case and accents. */
const isNetworkOwner = (owner: unknown): boolean =>
  typeof owner === "string" && folded(owner)?.startsWith("network:") === true

/** `"networks": "auto"`, from microversion 2.37 on. */
const wantsAllocation = (body: unknown): boolean => {
  const networks = memberOf(body, "server", "networks")
  return (Array.isArray(networks) ? networks : [networks]).some((_) => isAuto(_) || isAuto(memberOf(_, "uuid")))
}

const isAuto = (value: unknown): boolean => typeof value === "string" && value.trim().toLowerCase() === "auto"
