import { Result } from "effect"
import { domainToASCII } from "node:url"

/** The longest name: RFC 1035, section 2.3.4, without the root's length octet and with the dot at the end. */
const longest = 254

/** Designate's labels: ASCII letters, digits, `_` and `-` alone. */
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** The name in lower case, or what is wrong with it. */
type Named = Result.Result<string, string>

/** Asked before anything else reads a name, because a caller may send a name of any length, thousands of times. */
export const lengthError = (name: string): string | undefined =>
  name.length > longest ? `'${name.slice(0, 63)}…' is longer than ${longest - 1} characters` : undefined

const labelsError = (name: string, labels: ReadonlyArray<string>): string | undefined => {
  const long = lengthError(name)
  if (long !== undefined) return long
  const wrong = labels.find((_) => !label.test(_))
  if (wrong === undefined) return undefined
  if (wrong === "") return name === "." ? "'.' is the root of all names" : `'${name}' has an empty label`
  if (wrong.length > 63) return `'${name}' has a label of more than 63 characters`
  return `'${name}' has the label '${wrong}': labels have letters, digits, '_' and '-', with no '-' at either end`
}

/**
 * Names beyond ASCII are refused with their punycode form and never translated: only the caller
 * knows which name it means.
 */
const asciiError = (name: string): string | undefined => {
  const long = lengthError(name)
  if (long !== undefined) return long
  if (!/[^\0-\x7f]/.test(name)) return undefined
  const spelled = domainToASCII(name)
  return `'${name}' is not ASCII: send its punycode form${spelled === "" ? "" : ` '${spelled}'`}`
}

/** Parses an absolute name. @param undotted the failure of a name without a dot at its end */
const absoluteName = (given: string, undotted: string): Named => {
  const name = given.toLowerCase()
  const error = asciiError(given) ?? (name.endsWith(".") ? undefined : `${undotted}: send '${given}.'`)
  const wrong = error ?? labelsError(name, name.slice(0, -1).split("."))
  return wrong === undefined ? Result.succeed(name) : Result.fail(wrong)
}

/** Parses the name of a zone. */
export const zoneName = (given: string): Named =>
  given === ""
    ? Result.fail("a zone has a name such as 'example.org.'")
    : absoluteName(given, "a zone's name ends with a dot")

/** Parses a name that a record points to. It may contain an underscore, but no wildcard. */
export const targetName = (given: string): Named => absoluteName(given, "a record's target is an absolute name")

/**
 * Whether a name is a zone's or lies below it. Both are absolute; case does not matter, and only
 * whole labels match.
 */
export const isInside = (name: string, zone: string): boolean => {
  const [one, other] = [name.toLowerCase(), zone.toLowerCase()]
  return one === other || one.endsWith(`.${other}`)
}

/**
 * The only function that makes a record's name absolute. `@` and the empty name are the zone
 * itself. A name with a dot at its end must lie inside the zone. Any other name is relative to the
 * zone. A name that ends with the zone's name but lacks the dot is ambiguous, and is refused.
 *
 * @param zone its name, with the dot; the result contains it letter by letter, because Designate
 * compares it so
 */
export const qualify = (given: string, zone: string): Named => {
  const ascii = asciiError(given)
  if (ascii !== undefined) return Result.fail(ascii)
  const name = given.toLowerCase()
  if (name === "" || name === "@") return Result.succeed(zone)
  if (!name.endsWith(".")) {
    if (!isInside(`${name}.`, zone)) return checkedLabels(`${name}.${zone}`, zone)
    const short = name.slice(0, -zone.length) || "@"
    return Result.fail(`'${given}' would be '${given}.${zone}': send '${given}.' or '${short}'`)
  }
  if (!isInside(name, zone)) return Result.fail(`'${given}' is not inside the zone '${zone}'`)
  return checkedLabels(`${name.slice(0, -zone.length)}${zone}`, zone)
}

/** Checks the labels before the zone's name. A wildcard must be the whole first label. */
const checkedLabels = (name: string, zone: string): Named => {
  const labels = name.slice(0, -zone.length).split(".").slice(0, -1)
  const wrong = labelsError(name, labels[0] === "*" ? labels.slice(1) : labels)
  return wrong === undefined ? Result.succeed(name) : Result.fail(wrong)
}
