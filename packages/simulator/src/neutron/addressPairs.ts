import { Result } from "effect"
import { has, isObject, type JsonObject, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { badRequest, refuse } from "./errors.ts"
import { overlap, parseCidr, toText, versionOf } from "./ip.ts"

/** `max_allowed_address_pair`. */
const most = 10

const isMac = (text: string): boolean =>
  /^(?:[0-9a-f]{1,2}([:-])(?:[0-9a-f]{1,2}\1){4}[0-9a-f]{1,2}|[0-9a-f]{12})$/i.test(text) && !/^[0:-]+$/.test(text)

/** The lowest bit of the first octet. */
const isMulticastMac = (text: string): boolean =>
  (Number.parseInt(text.split(/[:-]/)[0]?.slice(0, 2) ?? "", 16) & 1) === 1

const multicasts = ["224.0.0.0/4", "ff00::/8"]

const wrongSubnet = (text: string): string | undefined => {
  const range = parseCidr(text)
  if (range === undefined || (range.version === 4 && text !== `${toText(4, range.address)}/${range.length}`)) {
    return `'${text}' is not a valid IP subnet`
  }
  const multicast = text === "0.0.0.0/0" ? undefined : multicasts.find((_) => overlap(_, text))
  return multicast === undefined
    ? undefined
    : `Subnet ${text} overlaps with multicast range ${multicast}, which is not supported.`
}

const wrongAddress = (text: string): string | undefined => {
  if (versionOf(text) === undefined) return `'${text}' is not a valid IP address`
  return multicasts.some((_) => overlap(_, text))
    ? `IP ${text} is a multicast address, which is not supported.`
    : undefined
}

const checkPair = (pair: JsonObject, earlier: ReadonlyArray<JsonObject>): Step<void> => {
  const [mac, ip] = [stringAt(pair, "mac_address"), stringAt(pair, "ip_address")]
  if (has(pair, "mac_address") && (mac === undefined || !isMac(mac))) {
    return badRequest(`'${mac ?? "None"}' is not a valid MAC address`)
  }
  if (!has(pair, "ip_address")) {
    return refuse(400, "AllowedAddressPairsMissingIP", "AllowedAddressPair must contain ip_address")
  }
  if (earlier.some((_) => _["mac_address"] === mac && _["ip_address"] === ip)) {
    const message = `Request contains duplicate address pair: mac_address ${mac ?? "None"} ip_address ${ip}.`
    return refuse(400, "DuplicateAddressPairInRequest", message)
  }
  const extras = Object.keys(pair).filter((_) => _ !== "mac_address" && _ !== "ip_address")
  if (extras.length > 0) return badRequest(`Unrecognized attribute(s) '${extras.join(", ")}'`)
  const wrong = ip?.includes("/") === true ? wrongSubnet(ip) : wrongAddress(ip ?? "None")
  if (wrong !== undefined) return badRequest(wrong)
  return mac !== undefined && isMulticastMac(mac)
    ? badRequest(`MAC address ${mac} is a multicast address, which is not supported.`)
    : Result.void
}

/** The pairs of a body, in the order of Neutron's own questions; a pair without a MAC address has the port's. */
export const addressPairs = (given: unknown, portMac: string): Step<ReadonlyArray<JsonObject>> =>
  Result.gen(function* () {
    if (!Array.isArray(given)) return yield* badRequest("Allowed address pairs must be a list.")
    if (given.length > most) {
      const message = `The number of allowed address pair exceeds the maximum ${most}.`
      return yield* refuse(400, "AllowedAddressPairExhausted", message)
    }
    const pairs: Array<JsonObject> = []
    for (const pair of given) {
      if (!isObject(pair)) {
        return yield* badRequest(`Invalid input for allowed_address_pairs. Reason: '${pair}' is not a dictionary.`)
      }
      yield* checkPair(pair, pairs)
      pairs.push(pair)
    }
    return pairs.map((_) => ({ mac_address: portMac, ..._ }))
  })
