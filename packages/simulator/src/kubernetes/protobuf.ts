import { type JsonObject, parseJson } from "../Json.ts"
import type { Incoming } from "../Wire.ts"
import { toSeconds, toSecondsUtc } from "../times.ts"
import { messages } from "./messages.ts"

const protobufType = "application/vnd.kubernetes.protobuf"

/** The magic bytes before the envelope. */
const magic = "k8s\0"

interface Field {
  readonly number: number
  /** The value of a varint; length-delimited values are in `bytes`. */
  readonly value: number
  readonly bytes: Uint8Array | undefined
}

/** Undefined when the bytes are not a message. */
const fieldsOf = (message: Uint8Array): ReadonlyArray<Field> | undefined => {
  const fields: Array<Field> = []
  let at = 0
  const varint = (): number => {
    let value = 0n
    for (let shift = 0n; at < message.length; shift += 7n) {
      const byte = message[at] ?? 0
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    return Number(BigInt.asIntN(64, value))
  }
  while (at < message.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    if (tag % 8 === 0) fields.push({ number, value: varint(), bytes: undefined })
    else if (tag % 8 === 2) {
      const length = varint()
      if (length < 0 || at + length > message.length) return undefined
      fields.push({ number, value: 0, bytes: message.subarray(at, at + length) })
      at += length
    } else return undefined
  }
  return fields
}

interface Known {
  readonly name: string
  readonly type: string
  readonly form: "one" | "list" | "map"
}

const tableOf = (message: string): ReadonlyMap<number, Known> =>
  new Map(
    (messages[message] ?? "").split(", ").map((_) => {
      const [, number, name = "", type = "text", mark] = /^(\d+) (\w+)(?::(\w+))?(\*|\{\})?$/.exec(_) ?? []
      return [Number(number), { name, type, form: mark === "*" ? "list" : mark === "{}" ? "map" : "one" }]
    })
  )

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Undefined for a skipped field; `unread` for one that cannot be decoded. */
const unread = Symbol("unread")

const scalars: Readonly<Record<string, (field: Field) => unknown>> = {
  text: ({ bytes }) => text(bytes),
  bytes: ({ bytes = new Uint8Array() }) => Buffer.from(bytes).toString("base64"),
  bool: ({ value }) => value !== 0,
  int: ({ value }) => value,
  none: () => undefined,
  Quantity: ({ bytes }) => text(firstOf(bytes, 1)?.bytes),
  IntOrString: ({ bytes }) =>
    firstOf(bytes, 1)?.value === 1 ? text(firstOf(bytes, 3)?.bytes) : (firstOf(bytes, 2)?.value ?? 0),
  Time: ({ bytes }) => {
    const seconds = firstOf(bytes, 1)?.value
    return seconds === undefined ? undefined : toSecondsUtc(seconds * 1000)
  },
  MicroTime: ({ bytes }) => {
    const seconds = firstOf(bytes, 1)?.value
    if (seconds === undefined) return undefined
    const micros = Math.floor((firstOf(bytes, 2)?.value ?? 0) / 1000)
    return `${toSeconds(seconds * 1000)}.${String(micros).padStart(6, "0")}Z`
  },
  FieldsV1: ({ bytes }) => parseJson(text(firstOf(bytes, 1)?.bytes)),
  Strings: ({ bytes }) => (fieldsOf(bytes ?? new Uint8Array()) ?? []).map((_) => text(_.bytes))
}

const firstOf = (message: Uint8Array | undefined, number: number): Field | undefined =>
  fieldsOf(message ?? new Uint8Array())?.find((_) => _.number === number)

const valueOf = (type: string, field: Field): unknown => {
  const scalar = scalars[type]
  return scalar === undefined ? objectOf(type, field.bytes ?? new Uint8Array()) : scalar(field)
}

const isNothing = ({ bytes, value }: Field): boolean => (bytes === undefined ? value === 0 : bytes.length === 0)

const objectOf = (message: string, bytes: Uint8Array): JsonObject | typeof unread => {
  const table = tableOf(message)
  const object: Record<string, unknown> = {}
  for (const field of fieldsOf(bytes) ?? [{ number: 0, value: 1, bytes: undefined }]) {
    const known = table.get(field.number)
    if (known === undefined) {
      if (isNothing(field)) continue
      return unread
    }
    const { form, name, type } = known
    const inner = form === "map" ? firstOf(field.bytes, 2) : field
    const value = inner === undefined ? "" : valueOf(type, inner)
    if (value === unread) return unread
    if (form === "list") object[name] = [...listOf(object[name]), ...(type === "Strings" ? listOf(value) : [value])]
    else if (form === "map") object[name] = { ...recordOf(object[name]), [text(firstOf(field.bytes, 1)?.bytes)]: value }
    else if (value !== undefined && !isAbsent(name, value)) object[name] = value
  }
  return object
}

/** Numbers and flags that the encoding always writes; their zero value means absent. */
const always = new Set(["generation", "minReadySeconds", "paused", "stdin", "stdinOnce", "tty", "readOnly"])

/** The encoding writes an absent text as an empty one. */
const isAbsent = (name: string, value: unknown): boolean =>
  value === "" || ((value === 0 || value === false) && (always.has(name) || name.endsWith("Port")))

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const recordOf = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

/** A protobuf body as JSON; undefined when a part of it cannot be decoded. */
const decodeProtobuf = (body: Uint8Array): JsonObject | undefined => {
  if (text(body.subarray(0, magic.length)) !== magic) return undefined
  const envelope = body.subarray(magic.length)
  const type = firstOf(envelope, 1)?.bytes
  const kind = text(firstOf(type, 2)?.bytes)
  if (messages[kind] === undefined) return undefined
  const object = objectOf(kind, firstOf(envelope, 2)?.bytes ?? new Uint8Array())
  return object === unread ? undefined : { apiVersion: text(firstOf(type, 1)?.bytes), kind, ...object }
}

/** A protobuf request as its JSON equivalent, if it can be decoded. */
export const inJson = (incoming: Incoming): Incoming => {
  if (!incoming.headers["content-type"]?.startsWith(protobufType)) return incoming
  const json = decodeProtobuf(incoming.body)
  if (json === undefined) return incoming
  return { ...incoming, json, headers: { ...incoming.headers, "content-type": "application/json" } }
}
