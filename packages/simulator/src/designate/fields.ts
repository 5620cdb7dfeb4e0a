import { isIPv4, isIPv6 } from "node:net"
import type { JsonObject } from "../Json.ts"
import type { Flaw } from "./answers.ts"

const flaw = (path: Flaw["path"], message: string, validator: string, validator_value: unknown): Flaw => ({
  path,
  message,
  validator,
  validator_value
})

const label = "(?!-)[A-Za-z0-9_-]{1,63}(?<!-)\\."
const zoneName = new RegExp(`^(?!.{255,})(?:${label})+$`)
/** A record's name may begin with a wildcard. */
const hostName = new RegExp(`^(?!.{255,})(?:\\*\\.|${label})(?:${label})*$`)

const isHostName = (text: string): boolean => hostName.test(text)

const isEmail = (text: string): boolean => text.split("@").length === 2 && zoneName.test(`${text.replace("@", ".")}.`)

const given = (value: unknown): boolean => value !== undefined && value !== null

const required = (fields: JsonObject, key: string, path: Flaw["path"], validator_value: unknown): ReadonlyArray<Flaw> =>
  given(fields[key]) ? [] : [flaw(path, `'${key}' is a required property`, "required", validator_value)]

/** The error of a DNS name, or undefined; the message names the kind of name. */
const nameError = (kind: "Domain" | "Host name", name: unknown, fits: RegExp): string | undefined => {
  if (typeof name !== "string") return `${String(name)} is not a string`
  if (fits.test(name)) return undefined
  if (!name.endsWith(".")) return `${kind} ${name} does not end with a dot`
  const long = name.split(".").find((_) => _.length > 63)
  return long === undefined ? `${kind} ${name} is invalid` : `Host ${long} is too long`
}

const ttlError = (ttl: unknown): string | undefined => {
  const number = typeof ttl === "string" && /^[+-]?\d+$/.test(ttl) ? Number(ttl) : ttl
  if (typeof number !== "number" || !Number.isInteger(number)) return `invalid literal for int() with base 10: '${ttl}'`
  if (number < 0) return "Value must be >= 0 for field ttl"
  return number > maxTtl ? `Value must be <= ${maxTtl} for field ttl` : undefined
}

const maxTtl = 2147483647

const descriptionError = (description: unknown): string | undefined => {
  if (typeof description !== "string") return `A string is required in field description, not a ${typeof description}`
  return description.length > 160 ? "Value too long for field description" : undefined
}

/** The first error of these fields, in the order of the request. */
const firstError = (
  fields: JsonObject,
  checks: Readonly<Record<string, (value: unknown) => string | undefined>>
): string | undefined => {
  for (const [key, value] of Object.entries(fields)) {
    const error = given(value) ? checks[key]?.(value) : undefined
    if (error !== undefined) return error
  }
  return undefined
}

/** The first field error of a zone. */
export const zoneError = (fields: JsonObject): string | undefined =>
  firstError(fields, {
    name: (_) => nameError("Domain", _, zoneName),
    email: (_) => (typeof _ === "string" && isEmail(_) ? undefined : `${String(_)} is not an email`),
    type: (_) => (_ === "PRIMARY" || _ === "SECONDARY" ? undefined : `Field value ${String(_)} is invalid`),
    ttl: ttlError,
    description: descriptionError
  })

/** The first field error of a recordset. */
export const recordsetError = (fields: JsonObject): string | undefined =>
  firstError(fields, { name: (_) => nameError("Host name", _, hostName), ttl: ttlError, description: descriptionError })

/** The field error of a transfer request or accept, whose only checked field is the description. */
export const descriptionErrorOf = (fields: JsonObject): string | undefined =>
  firstError(fields, { description: descriptionError })

const mastersFlaws = ({ masters, type }: JsonObject): ReadonlyArray<Flaw> => {
  const count = Array.isArray(masters) ? masters.length : 0
  if (type === "SECONDARY") {
    return count === 0 ? [flaw(["masters"], "'masters' is a required property", "required", ["masters"])] : []
  }
  return count > 0 ? [flaw(["type"], "'masters' has more items than allowed", "maxItems", ["masters"])] : []
}

/** The flaws of a zone as a whole. A flaw of the name is reported in the zone's first records. */
export const zoneFlaws = (fields: JsonObject): ReadonlyArray<Flaw> => {
  const email = fields["type"] === "SECONDARY" ? [] : required(fields, "email", ["type", "email"], "email")
  const name = email.length > 0 ? [] : required(fields, "name", ["records", 0, "name"], ["name"])
  return [...email, ...name, ...mastersFlaws(fields)]
}

/** `supported_record_type`. */
const types = ["A", "AAAA", "CNAME", "MX", "SRV", "TXT", "SPF", "NS", "PTR", "SSHFP", "SOA", "NAPTR", "CAA", "CERT"]

/** The flaws of a recordset as a whole. */
export const recordsetFlaws = (fields: JsonObject): ReadonlyArray<Flaw> => [
  ...required(fields, "name", ["name"], ["name"]),
  ...typeFlaws(fields),
  ...recordsFlaws(fields)
]

const typeFlaws = (fields: JsonObject): ReadonlyArray<Flaw> => {
  const missing = required(fields, "type", ["type"], ["type"])
  if (missing.length > 0) return missing
  const type = String(fields["type"])
  return types.includes(type)
    ? []
    : [flaw(["recordset", "type"], `'${type}' is not a valid record type`, "value", [type])]
}

const recordsFlaws = ({ records, type }: JsonObject): ReadonlyArray<Flaw> => {
  if (records === undefined) {
    return [flaw(["records"], "'records' is a required property", "required", ["records"])]
  }
  if (!Array.isArray(records))
    return [flaw(["records"], `'${String(records)}' is not a valid list of records`, "type", ["list"])]
  return records.flatMap((data: unknown, i) =>
    typeof data === "string" && fitsType(String(type), data)
      ? []
      : [flaw(["records", i], `'${String(data)}' is not a '${String(type)}' Record`, "format", [String(type)])]
  )
}

const isShort = (text: string | undefined): boolean =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) < 65536

/** Whether a record's data is valid for its type. Rare types are not validated. */
const fitsType = (type: string, data: string): boolean => {
  const parts = data.split(" ")
  switch (type) {
    case "A":
      return isIPv4(data)
    case "AAAA":
      return isIPv6(data) && !data.includes("%")
    case "CNAME":
    case "NS":
    case "PTR":
      return isHostName(data)
    case "MX":
      return parts.length === 2 && isShort(parts[0]) && (parts[1] === "." || isHostName(parts[1] ?? ""))
    case "SRV":
      return parts.length === 4 && parts.slice(0, 3).every(isShort) && isHostName(parts[3] ?? "")
    case "TXT":
    case "SPF":
      return isText(data)
    default:
      return data.trim() !== ""
  }
}

/** RFC 1035, section 5.1: blanks only within quotes, quotes within quotes only after a backslash. */
const isText = (data: string): boolean => {
  if (data === "" || data.endsWith("\\")) return false
  if (!data.startsWith('"') && !data.endsWith('"')) return !/\s/.test(data)
  return /^("(?:[^"\\]|\\.)*"\s*)+$/s.test(data)
}
