import type { JsonObject } from "../Json.ts"
import type { Flaw } from "./answers.ts"
import { isDomainName, isHostName, recordType } from "./recordData.ts"

const flaw = (path: Flaw["path"], message: string, validator: string, validator_value: unknown): Flaw => ({
  path,
  message,
  validator,
  validator_value
})

const isEmail = (text: string): boolean => text.split("@").length === 2 && isDomainName(`${text.replace("@", ".")}.`)

const given = (value: unknown): boolean => value !== undefined && value !== null

const required = (fields: JsonObject, key: string, path: Flaw["path"], validator_value: unknown): ReadonlyArray<Flaw> =>
  given(fields[key]) ? [] : [flaw(path, `'${key}' is a required property`, "required", validator_value)]

/** The error of a DNS name, or undefined; the message names the kind of name. */
const nameError = (
  kind: "Domain" | "Host name",
  name: unknown,
  fits: (name: string) => boolean
): string | undefined => {
  if (typeof name !== "string") return `${String(name)} is not a string`
  if (fits(name)) return undefined
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
    name: (_) => nameError("Domain", _, isDomainName),
    email: (_) => (typeof _ === "string" && isEmail(_) ? undefined : `${String(_)} is not an email`),
    type: (_) => (_ === "PRIMARY" || _ === "SECONDARY" ? undefined : `Field value ${String(_)} is invalid`),
    ttl: ttlError,
    description: descriptionError
  })

/** The first field error of a recordset. */
export const recordsetError = (fields: JsonObject): string | undefined =>
  firstError(fields, {
    name: (_) => nameError("Host name", _, isHostName),
    ttl: ttlError,
    description: descriptionError
  })

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

/** The flaws of a recordset as a whole. */
export const recordsetFlaws = (fields: JsonObject): ReadonlyArray<Flaw> => [
  ...required(fields, "name", ["name"], ["name"]),
  ...typeFlaws(fields),
  ...recordsFlaws(fields)
]

/** Whether the name is one of the kind that its type has, such as a service's of SRV. Other types have any host's. */
export const isNameOfType = ({ name, type }: JsonObject): boolean =>
  typeof name !== "string" || recordType(type)?.isName?.(name) !== false

const typeFlaws = (fields: JsonObject): ReadonlyArray<Flaw> => {
  const missing = required(fields, "type", ["type"], ["type"])
  if (missing.length > 0) return missing
  const type = String(fields["type"])
  return recordType(type) !== undefined
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
    typeof data === "string" && recordType(type)?.isData(data) !== false
      ? []
      : [flaw(["records", i], `'${String(data)}' is not a '${String(type)}' Record`, "format", [String(type)])]
  )
}
