import { Result } from "effect"
import { isObject, type JsonObject, stringAt } from "../Json.ts"
import { repr, str } from "../python.ts"
import type { Step } from "../Wire.ts"
import { address, type Check } from "./attributes.ts"
import { invalidInput, refuse } from "./errors.ts"
import { overlap, parseCidr, toText, versionOf } from "./ip.ts"
import { networkOf } from "./parsing.ts"

/** `max_subnet_host_routes`. */
const most = 20

const keys = ["destination", "nexthop"]

const wrongDestination = (text: string): string | undefined => {
  const range = parseCidr(networkOf(text)?.text ?? "")
  if (range === undefined || /\s/.test(text)) return `'${text}' is not a valid CIDR`
  const better = `${toText(range.version, range.first)}/${range.length}`
  if (better !== text) return `'${text}' is not a recognized CIDR, '${better}' is recommended`
  return overlap("127.0.0.0/8", text) && range.length >= 8 ? `'${text}' is not a routable CIDR` : undefined
}

const wrongRoute = (route: unknown): string | undefined => {
  if (!isObject(route)) return `Invalid input. '${str(route)}' must be a dictionary with keys: ${repr(keys)}`
  const provided = Object.keys(route)
  if (provided.length !== 2 || !keys.every((_) => provided.includes(_))) {
    return `Validation of dictionary's keys failed. Expected keys: ${repr(keys)} Provided keys: ${repr(provided)}`
  }
  const nexthop = address(route["nexthop"])
  return wrongDestination(stringAt(route, "destination") ?? "None") ?? ("wrong" in nexthop ? nexthop.wrong : undefined)
}

/** The API layer's check of the routes of a subnet or a router. */
export const hostRoutes: Check = (value) => {
  if (!Array.isArray(value)) return { wrong: `Invalid data format for hostroute: '${str(value)}'` }
  const texts = value.map((_) => JSON.stringify(_))
  const twice = value.find((_, at) => texts.indexOf(JSON.stringify(_)) < at)
  const wrong = value.map(wrongRoute).find((_) => _ !== undefined)
  if (wrong !== undefined) return { wrong }
  return twice === undefined ? { value } : { wrong: `Duplicate hostroute '${repr(twice)}'` }
}

/** The check of Neutron's database layer: the number of routes, and that each has the subnet's IP version. */
export const checkRoutes = (
  routes: ReadonlyArray<JsonObject>,
  subnet: string,
  version: number
): Step<ReadonlyArray<JsonObject>> => {
  if (routes.length > most) {
    const why = `The number of host routes exceeds the limit ${most}.`
    return refuse(400, "HostRoutesExhausted", `Unable to complete operation for ${subnet}. ${why}`)
  }
  for (const route of routes) {
    for (const name of ["nexthop", "destination"]) {
      const text = stringAt(route, name) ?? ""
      if (versionOf(text.split("/")[0] ?? "") !== version) {
        return invalidInput(`${name} '${text}' does not match the ip_version '${version}'`)
      }
    }
  }
  return Result.succeed(routes)
}
