import { Result } from "effect"
import { isObject, type JsonObject, numberAt, objectsAt, stringAt } from "../Json.ts"
import { repr, str } from "../python.ts"
import type { Step } from "../Wire.ts"
import type { Check } from "./attributes.ts"
import { refuse } from "./errors.ts"
import type { Port } from "./state.ts"

const keys = ["opt_name", "opt_value", "ip_version"]

/** Options that a client may be given without a value. */
const blank = new Set(["router", "classless-static-route"])

const isText = (value: unknown, longest: number): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= longest && !/[\r\n]/.test(value)

/** An option as Neutron keeps it; a value of null takes the option from the port. */
const optionOf = (given: unknown): JsonObject | undefined => {
  if (!isObject(given) || !Object.keys(given).every((_) => keys.includes(_))) return undefined
  const { ip_version = 4, opt_name, opt_value } = given
  const version = typeof ip_version === "boolean" ? undefined : Number(ip_version)
  if (!isText(opt_name, 64) || (version !== 4 && version !== 6)) return undefined
  const fits = opt_value === null || isText(opt_value, 255) || (opt_value === "" && blank.has(opt_name))
  return fits ? { opt_name, opt_value, ip_version: version } : undefined
}

export const extraDhcpOptions: Check = (value) => {
  const given = value ?? []
  if (!Array.isArray(given)) return { wrong: `'${str(given)}' is not a list`, unconverted: true }
  const options = given.map(optionOf)
  const wrong = options.indexOf(undefined)
  return wrong < 0
    ? { value: options }
    : { wrong: `No valid key specs matched for: ${repr(given[wrong])}`, unconverted: true }
}

const key = (option: JsonObject): string => `${stringAt(option, "opt_name")}-${numberAt(option, "ip_version")}`

/** The options of a port after a body with some of them: named ones change, a null takes one away, others stay. */
export const withOptions = (port: Port, given: JsonObject): Step<ReadonlyArray<JsonObject>> => {
  const [old, asked] = [objectsAt(port.extra_dhcp_opts), objectsAt(given, "extra_dhcp_opts")]
  const isOld = (option: JsonObject) => old.some((_) => key(_) === key(option))
  const changed = old.map((option) => asked.findLast((_) => key(_) === key(option)) ?? option)
  const added = asked.filter((_) => !isOld(_) && _["opt_value"] !== null)
  const twice = added.map(key).find((_, at, all) => all.indexOf(_) < at)
  if (twice !== undefined) {
    const columns = repr(["portid", "optname", "ipversion"])
    const message = `Failed to create a duplicate ExtraDhcpOpt: for attribute(s) ${columns} with value(s) ${port.id}-${twice}`
    return refuse(409, "NeutronDbObjectDuplicateEntry", message)
  }
  const kept = [...changed, ...added].filter((_) => _["opt_value"] !== null)
  return Result.succeed(kept.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)))
}
