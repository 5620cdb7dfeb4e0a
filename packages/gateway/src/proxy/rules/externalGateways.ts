import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { isWrite, type JsonObject, objectsFor, word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/**
 * Tenants' routers hold no external gateway of the tenants' making (contract,
 * Authentication 13). For everybody but platform administrators, all ways to
 * set, change or remove one are refused: in a router, by its gateway actions,
 * by the topology that Neutron allocates on a mere read, by a server that asks
 * Nova for such a network, and by a port that says it is a router's.
 */
export const externalGateways: Rule = {
  concerns: (call) => {
    switch (doorOf(call)) {
      case undefined:
        return "nothing"
      case "gateway":
        return "head"
      default:
        return "body"
    }
  },
  check: Effect.fnUntraced(function* (call, body) {
    if (isRefused(call, body)) return yield* Forbidden.externalGateway()
  })
}

const isRefused = (call: PlatformCall, body: unknown): boolean => {
  switch (doorOf(call)) {
    case undefined:
      return false
    case "gateway":
      return true
    case "router":
      return objectsFor(body, "router").some(call.method === "POST" ? bringsGateway : touchesGateway)
    case "port":
      return objectsFor(body, "port").some((_) => isNetworkOwner(_["device_owner"]))
    case "server":
      return wantsAllocation(body)
  }
}

type Door = "gateway" | "router" | "port" | "server"

/** A collection of Neutron also answers behind the path prefix of any extension: `/qos/routers/{id}`. */
const doorOf = ({ caller, method, segments, service }: PlatformCall): Door | undefined => {
  if (caller.admin) return undefined
  if (service === "network") return networkDoor(method, segments, 0) ?? networkDoor(method, segments, 1)
  if (service === "compute" && method === "POST") return createsServer(segments) ? "server" : undefined
}

const networkDoor = (method: string, segments: ReadonlyArray<string>, at: 0 | 1): Door | undefined => {
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

/** `servers` and the old `os-volumes_boot`, with or without a project id in front or a slash behind. */
const createsServer = (segments: ReadonlyArray<string>): boolean => {
  const last = word(segments.at(segments.at(-1) === "" ? -2 : -1))
  return last === "servers" || last === "os-volumes-boot"
}

const gatewayKeys = ["external_gateway_info", "external_gateways"] as const

/** A new router may say that it has none. */
const bringsGateway = (router: JsonObject): boolean =>
  gatewayKeys.some((_) => router[_] !== undefined && router[_] !== null)

/** Null and {} take the uplink away, and any value switches its SNAT on again. */
const touchesGateway = (router: JsonObject): boolean => gatewayKeys.some((_) => Object.hasOwn(router, _))

/**
 * Neutron compares the owner as it is, but the database behind it may hold
 * letters of either case, with or without accents, for the same.
 */
const isNetworkOwner = (owner: unknown): boolean =>
  typeof owner === "string" && owner.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().startsWith("network:")

/** `"networks": "auto"`, from microversion 2.37 on. */
const wantsAllocation = (body: unknown): boolean => {
  const server = Predicate.isReadonlyObject(body) ? body["server"] : undefined
  const networks = Predicate.isReadonlyObject(server) ? server["networks"] : undefined
  return (Array.isArray(networks) ? networks : [networks]).some(
    (_) => isAuto(_) || (Predicate.isReadonlyObject(_) && isAuto(_["uuid"]))
  )
}

const isAuto = (value: unknown): boolean => typeof value === "string" && value.trim().toLowerCase() === "auto"
