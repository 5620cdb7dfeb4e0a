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

/** One value in a message. */
interface Value {
  readonly number: number
  /** A number, or what has a length. */
  readonly content: bigint | Uint8Array
}

const widths: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/** The values of a message in order; undefined for what is none, and for groups, which the API does not use. */
const valuesOf = (message: Uint8Array): ReadonlyArray<Value> | undefined => {
  const values: Array<Value> = []
  let at = 0
  const varint = (): bigint | undefined => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at]
      if (byte === undefined) return undefined
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    return undefined
  }
  while (at < message.length) {
    const tag = varint()
    // Numbers end at 2^29 - 1; another reader may drop the bits above them.
    if (tag === undefined || tag > 0xffff_ffffn) return undefined
    const number = Number(tag >> 3n)
    const wire = Number(tag & 7n)
    if (wire === 0) {
      const value = varint()
      if (value === undefined) return undefined
      values.push({ number, content: value })
      continue
    }
    const length = wire === 2 ? varint() : widths[wire]
    if (length === undefined || at + Number(length) > message.length) return undefined
    values.push({ number, content: message.subarray(at, at + Number(length)) })
    at += Number(length)
  }
  return values
}

const nothing = new Uint8Array()

/**
 * Every value that a message has at a path of field numbers. A message that
 * comes in pieces is the sum of them to the API server, so that no piece is
 * passed over. Undefined when something on the way is no message.
 */
const valuesAt = (
  message: Uint8Array,
  [number, ...below]: ReadonlyArray<number>
): ReadonlyArray<Value["content"]> | undefined => {
  const found: Array<Value["content"]> = []
  const values = valuesOf(message)
  if (values === undefined) return undefined
  for (const value of values) {
    if (value.number !== number) continue
    if (below.length === 0) {
      found.push(value.content)
      continue
    }
    if (typeof value.content === "bigint") return undefined
    const inner = valuesAt(value.content, below)
    if (inner === undefined) return undefined
    found.push(...inner)
  }
  return found
}

/** The JSON of one value, as far as a guard looks at it; undefined for what is none of the kind. */
const jsonOf = ({ as, key }: Field, content: Value["content"]): unknown => {
  if (as === "presence") return [{}]
  if (as === "number") return typeof content === "bigint" ? Number(content) : undefined
  if (typeof content === "bigint") return undefined
  if (as === "text") return textOf(content)
  return (valuesAt(content, [1]) ?? []).some((_) => typeof _ !== "bigint" && textOf(_) === key) ? true : null
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")

const nested = (path: ReadonlyArray<string>, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)

/**
 * The parts of an object in the binary encoding that a guard looks at, as the
 * JSON that they stand for; undefined for what cannot be read.
 */
export const partsOfProtobuf = (body: Uint8Array, fields: ReadonlyArray<Field>): ReadonlyArray<unknown> | undefined => {
  if (!magic.equals(body.subarray(0, magic.length))) return undefined
  // An envelope: its type, and the object.
  const objects = valuesAt(body.subarray(magic.length), [2])
  if (objects === undefined) return undefined
  const parts: Array<unknown> = []
  for (const object of objects) {
    const bytes = typeof object === "bigint" ? nothing : object
    if (valuesOf(bytes) === undefined) return undefined
    for (const field of fields) {
      const values = valuesAt(bytes, field.numbers)
      if (values === undefined) return undefined
      for (const value of values) {
        const json = jsonOf(field, value)
        if (json === undefined) return undefined
        parts.push(nested(field.path, json))
      }
    }
  }
  return parts
}
