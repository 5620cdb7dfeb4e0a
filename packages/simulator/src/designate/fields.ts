import { isIPv4, isIPv6 } from "node:net"
import type { Flaw } from "./answers.ts"

type Given = Readonly<Record<string, unknown>>

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

export const isHostName = (text: string): boolean => hostName.test(text)

const isEmail = (text: string): boolean => text.split("@").length === 2 && zoneName.test(`${text.replace("@", ".")}.`)

const required = (given: Given, key: string): ReadonlyArray<Flaw> =>
  given[key] === undefined || given[key] === null
    ? [flaw([key], `'${key}' is a required property`, "required", [key])]
    : []

const formatted = (given: Given, key: string, format: string, fits: (text: string) => boolean): ReadonlyArray<Flaw> => {
  const value = given[key]
  if (value === undefined || value === null) return []
  if (typeof value !== "string")
    return [flaw([key], `${JSON.stringify(value)} is not of type 'string'`, "type", "string")]
  return fits(value) ? [] : [flaw([key], `'${value}' is not a '${format}'`, "format", format)]
}

const maxTtl = 2147483647

const ttlFlaws = ({ ttl }: Given): ReadonlyArray<Flaw> => {
  if (ttl === undefined || ttl === null) return []
  if (typeof ttl !== "number" || !Number.isInteger(ttl)) {
    return [flaw(["ttl"], `${JSON.stringify(ttl)} is not of type 'integer', 'null'`, "type", ["integer", "null"])]
  }
  if (ttl < 0) return [flaw(["ttl"], `${ttl} is less than the minimum of 0`, "minimum", 0)]
  return ttl > maxTtl ? [flaw(["ttl"], `${ttl} is greater than the maximum of ${maxTtl}`, "maximum", maxTtl)] : []
}

export const descriptionFlaws = ({ description }: Given): ReadonlyArray<Flaw> => {
  if (description === undefined || description === null) return []
  if (typeof description !== "string") {
    return [
      flaw(["description"], `${JSON.stringify(description)} is not of type 'string', 'null'`, "type", [
        "string",
        "null"
      ])
    ]
  }
  return description.length > 160 ? [flaw(["description"], `'${description}' is too long`, "maxLength", 160)] : []
}

const mastersFlaws = ({ masters, type }: Given): ReadonlyArray<Flaw> => {
  const given = Array.isArray(masters) ? masters.length : 0
  if (type === "SECONDARY") {
    return given === 0 ? [flaw(["masters"], "'masters' is a required property", "required", ["masters"])] : []
  }
  return given > 0 ? [flaw(["type"], "'masters' has more items than allowed", "maxItems", ["masters"])] : []
}

/** What is wrong with a zone that is to be. */
export const zoneFlaws = (given: Given): ReadonlyArray<Flaw> => [
  ...required(given, "name"),
  ...formatted(given, "name", "domainname", (_) => zoneName.test(_)),
  ...(given["type"] === "SECONDARY" ? [] : required(given, "email")),
  ...formatted(given, "email", "email", isEmail),
  ...(given["type"] === "PRIMARY" || given["type"] === "SECONDARY"
    ? []
    : [
        flaw(["type"], `'${String(given["type"])}' is not one of ['SECONDARY', 'PRIMARY']`, "enum", [
          "SECONDARY",
          "PRIMARY"
        ])
      ]),
  ...ttlFlaws(given),
  ...descriptionFlaws(given),
  ...mastersFlaws(given)
]

/** `supported_record_type`. */
const types = ["A", "AAAA", "CNAME", "MX", "SRV", "TXT", "SPF", "NS", "PTR", "SSHFP", "SOA", "NAPTR", "CAA", "CERT"]

/** What is wrong with a recordset that is to be. */
export const recordsetFlaws = (given: Given): ReadonlyArray<Flaw> => [
  ...required(given, "name"),
  ...formatted(given, "name", "hostname", isHostName),
  ...typeFlaws(given),
  ...ttlFlaws(given),
  ...descriptionFlaws(given),
  ...recordsFlaws(given)
]

const typeFlaws = (given: Given): ReadonlyArray<Flaw> => {
  const missing = required(given, "type")
  if (missing.length > 0) return missing
  const type = String(given["type"])
  return types.includes(type)
    ? []
    : [flaw(["recordset", "type"], `'${type}' is not a supported record type`, "value", [type])]
}

const recordsFlaws = ({ records, type }: Given): ReadonlyArray<Flaw> => {
  if (records === undefined || (Array.isArray(records) && records.length === 0)) {
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

/** Whether a record's data can be read as its type. The seldom ones are taken as they are. */
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
      return parts.length === 2 && isShort(parts[0]) && isHostName(parts[1] ?? "")
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
