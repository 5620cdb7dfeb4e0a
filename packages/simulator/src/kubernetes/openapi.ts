import { type Answer, type Incoming, json } from "../Wire.ts"
import { apiVersionOf, builtIns, type Kind } from "./kinds.ts"

/** The media type of the request contains `@` and is invalid; the answer has a valid one. */
const asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

const base = (kind: Kind): string =>
  kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`

const pathOf = (kind: Kind): string =>
  `${base(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.plural}/{name}`

/** Announces server-side field validation, which clients check before they rely on it. */
const fieldValidation = { name: "fieldValidation", in: "query" }

const patchOf = ({ group, kind, version }: Kind) => ({
  "x-kubernetes-action": "patch",
  "x-kubernetes-group-version-kind": { group, kind, version }
})

/** A field of a protobuf message: wire type 2, a text or a message. */
const field = (number: number, content: Uint8Array | string): Uint8Array => {
  const bytes = Buffer.from(content)
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

const varint = (value: number): Uint8Array =>
  value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >> 7)])

/**
 * The document in protobuf, which older clients require: version, title, and no types, so that they skip their
 * own validation.
 */
const encoded = Buffer.concat([
  field(1, "2.0"),
  field(2, Buffer.concat([field(1, "Kubernetes"), field(2, "v1.34.3")])),
  field(8, ""),
  field(9, "")
])

export const openapiV2 = ({ headers }: Incoming): Answer =>
  headers["accept"]?.includes(asked) === true
    ? { status: 200, headers: { "content-type": protobuf }, body: encoded }
    : json(200, { swagger: "2.0", info: { title: "Kubernetes", version: "v1.34.3" }, paths: {}, definitions: {} })

export const openapiV3 = (_: Incoming): Answer => {
  const groups = [...new Set(builtIns.map((kind) => base(kind).slice(1)))]
  return json(200, {
    paths: Object.fromEntries(groups.map((group) => [group, { serverRelativeURL: `/openapi/v3/${group}` }]))
  })
}

/** The document of one group and version, with the parts that clients read before a write. */
export const openapiOf = (groupVersion: string): Answer | undefined => {
  const kinds = builtIns.filter((_) => apiVersionOf(_) === groupVersion && _.stored)
  if (kinds.length === 0) return undefined
  const paths = kinds.map((_) => [pathOf(_), { patch: { ...patchOf(_), parameters: [fieldValidation] } }])
  return json(200, {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.34.3" },
    paths: Object.fromEntries(paths),
    components: { schemas: {} }
  })
}
