import { Result } from "effect"
import { domainToASCII } from "node:url"

/** RFC 1035, section 2.3.4, without the root's length octet and with the dot at the end. */
const longest = 254

/** What Designate takes for a label; beyond letters and digits of ASCII there is nothing. */
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** The name in lower case, or what is wrong with it. */
type Named = Result.Result<string, string>

const labelsError = (name: string, labels: ReadonlyArray<string>): string | undefined => {
  if (name.length > longest) return `'${name}' is longer than ${longest - 1} characters`
  const wrong = labels.find((_) => !label.test(_))
  if (wrong === undefined) return undefined
  if (wrong === "") return `'${name}' has an empty label`
  if (wrong.length > 63) return `'${name}' has a label of more than 63 characters`
  return `'${name}' has the label '${wrong}': labels have letters, digits, '_' and '-', with no '-' at either end`
}

/** Names beyond ASCII are told their spelling and never translated: which one was meant is the caller's to say. */
const asciiError = (name: string): string | undefined => {
  if (!/[^\0-\x7f]/.test(name)) return undefined
  const spelled = domainToASCII(name)
  return `'${name}' is not ASCII: send its punycode form${spelled === "" ? "" : ` '${spelled}'`}`
}

/** The name of a zone: absolute, and so with a dot at its end. */
export const zoneName = (given: string): Named => {
  const name = given.toLowerCase()
  if (name === "") return Result.fail("a zone has a name such as 'example.org.'")
  const error =
    asciiError(given) ?? (name.endsWith(".") ? undefined : `a zone's name ends with a dot: send '${given}.'`)
  const wrong = error ?? labelsError(name, name.slice(0, -1).split("."))
  return wrong === undefined ? Result.succeed(name) : Result.fail(wrong)
}

/** An absolute name that a record points to. An underscore may be in it, a wildcard may not. */
export const targetName = (given: string): Named => {
  const name = given.toLowerCase()
  const error =
    asciiError(given) ?? (name.endsWith(".") ? undefined : `a record's target is an absolute name: send '${given}.'`)
  const wrong = error ?? labelsError(name, name.slice(0, -1).split("."))
  return wrong === undefined ? Result.succeed(name) : Result.fail(wrong)
}

/** Whether a name is a zone's or lies below it. Both are absolute; case does not count, and a part of a label is no label. */
export const isInside = (name: string, zone: string): boolean => {
  const [one, other] = [name.toLowerCase(), zone.toLowerCase()]
  return one === other || one.endsWith(`.${other}`)
}

/**
 * The one place where the name of a record becomes absolute: `@` and nothing
 * are the zone, a name with a dot at its end has to be inside the zone, and
 * everything else is in front of the zone's name. What ends with the zone's
 * name but for the dot can be meant in two ways, and is refused.
 *
 * @param zone its name, with the dot; the result has it letter by letter, because Designate compares it so
 */
export const qualify = (given: string, zone: string): Named => {
  const ascii = asciiError(given)
  if (ascii !== undefined) return Result.fail(ascii)
  const name = given.toLowerCase()
  if (name === "" || name === "@") return Result.succeed(zone)
  if (!name.endsWith(".")) {
    if (!isInside(`${name}.`, zone)) return placed(`${name}.${zone}`, zone)
    const short = name.slice(0, -zone.length) || "@"
    return Result.fail(`'${given}' would be '${given}.${zone}': send '${given}.' or '${short}'`)
  }
  if (!isInside(name, zone)) return Result.fail(`'${given}' is not inside the zone '${zone}'`)
  return placed(`${name.slice(0, -zone.length)}${zone}`, zone)
}

/** A wildcard is a label of its own, and the first one. */
const placed = (name: string, zone: string): Named => {
  const labels = name.slice(0, -zone.length).split(".").slice(0, -1)
  const wrong = labelsError(name, labels[0] === "*" ? labels.slice(1) : labels)
  return wrong === undefined ? Result.succeed(name) : Result.fail(wrong)
}
