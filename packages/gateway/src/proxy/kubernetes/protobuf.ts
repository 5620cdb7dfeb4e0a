/** What stands in front of an object in the API server's binary encoding. */
const magic = Buffer.from("k8s\0", "latin1")

/** A value of a message that decides about a write. */
export interface Field {
  /** Where the value is in the object's JSON. */
  readonly path: ReadonlyArray<string>
  /** Field numbers of the `generated.proto` of the kind, from the object down. */
  readonly numbers: ReadonlyArray<number>
  /** `entry` is one of a map by text, with the key below; `presence` a message whose content does not matter. */
  readonly as: "text" | "number" | "entry" | "presence"
  readonly key?: string
}

/** What a value is: a number, or what has a length. */
type Content = number | Uint8Array

const widths: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/**
 * Visits the values of a message in order, each message once.
 *
 * @param visit says false to stop
 * @returns false for what is no message, for groups, which the API does not use, and when it was stopped
 */
const visitValues = (message: Uint8Array, visit: (number: number, content: Content) => boolean): boolean => {
  let at = 0
  /** Exact up to 2^53, and above it a number that is as large; below zero where it breaks off. */
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
    // Numbers end at 2^29 - 1; another reader may drop the bits above them.
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

/** More values than that decide about no object. */
const most = 10_000

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")

const nested = (path: ReadonlyArray<string>, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)

/** The JSON of one value, as far as a guard looks at it; null for one that does not count, undefined for none of the kind. */
const jsonOf = ({ as, key }: Field, content: Content): unknown => {
  if (as === "presence") return [{}]
  if (as === "number") return typeof content === "number" ? content : undefined
  if (typeof content === "number") return undefined
  if (as === "text") return textOf(content)
  let isIt = false
  const isEntry = visitValues(content, (number, name) => {
    isIt ||= number === 1 && typeof name !== "number" && textOf(name) === key
    return true
  })
  return isEntry ? (isIt ? true : null) : undefined
}

/**
 * Collects every value that decides. A message that comes in pieces is the sum
 * of them to the API server, so that no piece is passed over.
 */
const collect = (message: Uint8Array, fields: ReadonlyArray<Field>, depth: number, parts: Array<unknown>): boolean =>
  visitValues(message, (number, content) => {
    const concerned = fields.filter((_) => _.numbers[depth] === number)
    if (concerned.length === 0) return true
    for (const field of concerned) {
      if (field.numbers.length > depth + 1) continue
      const json = jsonOf(field, content)
      if (json === undefined || parts.length === most) return false
      if (json !== null) parts.push(nested(field.path, json))
    }
    const below = concerned.filter((_) => _.numbers.length > depth + 1)
    return below.length === 0 || (typeof content !== "number" && collect(content, below, depth + 1, parts))
  })

/**
 * The parts of an object in the binary encoding that a guard looks at, as the
 * JSON that they stand for; undefined for what cannot be read.
 */
export const partsOfProtobuf = (body: Uint8Array, fields: ReadonlyArray<Field>): ReadonlyArray<unknown> | undefined => {
  if (!magic.equals(body.subarray(0, magic.length))) return undefined
  const parts: Array<unknown> = []
  // An envelope: the type of the object, and the object.
  const isRead = visitValues(
    body.subarray(magic.length),
    (number, content) => number !== 2 || (typeof content !== "number" && collect(content, fields, 0, parts))
  )
  return isRead ? parts : undefined
}
