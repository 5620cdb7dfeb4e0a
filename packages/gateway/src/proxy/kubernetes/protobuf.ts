/** The prefix of an object in the API server's binary encoding. */
const magic = Buffer.from("k8s\0", "latin1")

/** A value in a message that a guard checks. */
export interface Field {
  /** The path of the value in the object's JSON. */
  readonly path: ReadonlyArray<string>
  /** Field numbers from the kind's `generated.proto`, from the object down. */
  readonly numbers: ReadonlyArray<number>
  /** `entry` is an entry of a string map with such a key; `presence` is a message whose content does not matter. */
  readonly as: "text" | "number" | "entry" | "presence"
  readonly key?: (name: string) => boolean
}

/** A value: a number, or length-delimited bytes. */
type Content = number | Uint8Array

const widths: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/**
 * Visits the values of a message in order, each message once.
 *
 * @param visit returns false to stop
 * @returns false for invalid messages, for groups, which the API does not use, and when `visit` stopped
 */
const visitValues = (message: Uint8Array, visit: (number: number, content: Content) => boolean): boolean => {
  let at = 0
  /** Exact up to 2^53, approximate above it; negative when the message breaks off. */
  const varint = (): number => {
    let value = 0
    let factor = 1
    for (let length = 0; length < 10; length++) {
      const byte = message[at]
      if (byte === undefined) return -1
      at += 1
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 128
    }
    return -1
  }
  while (at < message.length) {
    const tag = varint()
    // Field numbers end at 2^29 - 1; another reader may drop the bits above them.
    if (tag < 0 || tag > 0xffff_ffff) return false
    const number = Math.floor(tag / 8)
    const wire = tag % 8
    if (wire === 0) {
      const value = varint()
      if (value < 0 || !visit(number, value)) return false
      continue
    }
    const length = wire === 2 ? varint() : (widths[wire] ?? -1)
    if (length < 0 || at + length > message.length) return false
    if (!visit(number, message.subarray(at, at + length))) return false
    at += length
  }
  return true
}

/** Maximum number of different checked values, and of all that are looked at; no real object has more. */
const maxValues = 2_000
const maxVisited = 100_000

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")

const nested = (path: ReadonlyArray<string>, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)

/**
 * The JSON of one value as a guard checks it; null for a map entry with another key, undefined for a value of the
 * wrong type.
 */
const jsonOf = ({ as, key }: Field, content: Content, found: Found): unknown => {
  if (as === "presence") return [{}]
  if (as === "number") return typeof content === "number" ? content : undefined
  if (typeof content === "number") return undefined
  if (as === "text") return textOf(content)
  const keys: Array<string> = []
  const isEntry = visitValues(content, (number, name) => {
    if (number === 1 && typeof name !== "number") keys.push(textOf(name))
    return ++found.visited <= maxVisited
  })
  if (!isEntry) return undefined
  const concerned = keys.filter((_) => key?.(_) === true)
  return concerned.length === 0 ? null : Object.fromEntries(concerned.map((_) => [_, true]))
}

interface Found {
  readonly parts: Array<unknown>
  /** Each once: a value of two bytes may be there ten thousand times, and each part passes every check. */
  readonly spelled: Set<string>
  visited: number
}

/**
 * Collects every checked value. The API server merges a message that is split into several pieces, so no piece may be
 * skipped.
 */
const collect = (message: Uint8Array, fields: ReadonlyArray<Field>, depth: number, found: Found): boolean =>
  visitValues(message, (number, content) => {
    if (++found.visited > maxVisited) return false
    const concerned = fields.filter((_) => _.numbers[depth] === number)
    if (concerned.length === 0) return true
    for (const field of concerned) {
      if (field.numbers.length > depth + 1) continue
      const json = jsonOf(field, content, found)
      if (json === undefined) return false
      if (json === null) continue
      const part = nested(field.path, json)
      const spelled = JSON.stringify(part)
      if (found.spelled.has(spelled)) continue
      if (found.parts.length === maxValues) return false
      found.spelled.add(spelled)
      found.parts.push(part)
    }
    const below = concerned.filter((_) => _.numbers.length > depth + 1)
    return below.length === 0 || (typeof content !== "number" && collect(content, below, depth + 1, found))
  })

/** The parts of an object in the binary encoding that a guard checks, as JSON; undefined for an invalid encoding. */
export const partsOfProtobuf = (body: Uint8Array, fields: ReadonlyArray<Field>): ReadonlyArray<unknown> | undefined => {
  if (!magic.equals(body.subarray(0, magic.length))) return undefined
  const found: Found = { parts: [], spelled: new Set(), visited: 0 }
  // The envelope holds the type of the object, and the object.
  const isRead = visitValues(body.subarray(magic.length), (number, content) => {
    if (++found.visited > maxVisited) return false
    return number !== 2 || (typeof content !== "number" && collect(content, fields, 0, found))
  })
  return isRead ? found.parts : undefined
}
