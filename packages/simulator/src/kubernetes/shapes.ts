import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { definitionOf } from "./customResources.ts"
import type { Kind } from "./kinds.ts"
import type { KubernetesState } from "./state.ts"
import { types } from "./types.ts"

/** What a field may hold, and how it is merged and owned. */
export type Shape = StructShape | MapShape | ListShape | ScalarShape | AnyShape

interface Common {
  /** Go's word for the type, as its decoder says it. */
  readonly type: string
}

interface StructShape extends Common {
  readonly form: "struct"
  readonly name: string
  readonly fields: ReadonlyMap<string, Field>
  /** Owned as a whole. */
  readonly atomic: boolean
  /** Unknown fields belong to it. */
  readonly open: boolean
}

interface MapShape extends Common {
  readonly form: "map"
  readonly of: Shape
  readonly atomic: boolean
}

interface ListShape extends Common {
  readonly form: "list"
  readonly of: Shape
  readonly merging: Merging
}

/** How a list is merged: as a map by its merge keys, as a set, or not at all. */
export type Merging = { readonly keys: ReadonlyArray<string> } | "set" | "atomic"

interface ScalarShape extends Common {
  readonly form: "scalar"
}

interface AnyShape extends Common {
  readonly form: "any"
}

export interface Field {
  readonly shape: Shape
  /** Its value in an object without content; undefined for a field that such an object does not have. */
  readonly empty: unknown
  /** Shown even when it is empty. */
  readonly required: boolean
  /** Strategic merges keep only the keys that the patch names. */
  readonly retains: boolean
  readonly preset: string | undefined
}

export const any: Shape = { form: "any", type: "any" }

const goTypes: Readonly<Record<string, string>> = {
  bytes: "[]uint8",
  quantity: "resource.Quantity",
  time: "v1.Time",
  intOrString: "intstr.IntOrString"
}

const scalars: ReadonlySet<string> = new Set([
  "string",
  "bool",
  "int32",
  "int64",
  "float64",
  "bytes",
  "quantity",
  "time",
  "intOrString"
])

/** `containers*[name]:Container` */
const grammar = /^([^!*$[\]{}:]+)(!?)(\*?)(\$?)(?:\[([^\]]*)\]|(\{@?\}))?:(\[\])?([^=]+)(?:=(.*))?$/

const fieldOf = (text: string): readonly [name: string, field: Field] => {
  const [, name = "", struct, required, retains, keys, map, inner, type = "", preset] = grammar.exec(text) ?? []
  const base = baseOf(type)
  const item: Shape = inner === undefined ? base : listOf(base, "atomic")
  const shape: Shape =
    map !== undefined
      ? { form: "map", type: `map[string]${item.type}`, of: item, atomic: map === "{@}" }
      : keys === undefined
        ? item
        : listOf(item, keys === "" ? "atomic" : keys === "=" ? "set" : { keys: keys.split(",") })
  const empty = struct !== "" ? {} : required !== "" ? zeroOf(shape) : undefined
  return [name, { shape, empty, required: required !== "", retains: retains !== "", preset }]
}

/** Go's zero value, as JSON. */
const zeroOf = (shape: Shape): unknown => {
  if (shape.form === "list" && shape.merging !== "atomic") return []
  if (shape.form !== "scalar") return null
  return shape.type === "string" ? "" : shape.type === "bool" ? false : /^(int|float)/.test(shape.type) ? 0 : null
}

const listOf = (of: Shape, merging: Merging): Shape => ({ form: "list", type: `[]${of.type}`, of, merging })

const baseOf = (type: string): Shape => {
  if (scalars.has(type)) return { form: "scalar", type: goTypes[type] ?? type }
  return structOf(type) ?? any
}

const structs = new Map<string, StructShape>()

const structOf = (name: string): StructShape | undefined => {
  const known = structs.get(name)
  if (known !== undefined) return known
  const text = types[name]
  if (text === undefined) return undefined
  const words = text.split(" ").filter((_) => _ !== "")
  const short = name.split(".").at(-1) ?? name
  const shape: StructShape = {
    form: "struct",
    type: `v1.${short}`,
    name: short,
    fields: new Map(words.filter((_) => _ !== "@").map(fieldOf)),
    atomic: words[0] === "@",
    open: false
  }
  structs.set(name, shape)
  return shape
}

export const builtInShape = ({ kind }: Kind): Shape => structOf(kind) ?? any

/** The shape of a kind's objects. */
export const shapeOf = (state: KubernetesState, kind: Kind): Shape => {
  if (!kind.custom) return builtInShape(kind)
  const schema = objectAt(definitionOf(state, kind), "schema", "openAPIV3Schema")
  const root = ofSchema(schema)
  if (root.form !== "struct") return root
  const fields = new Map(root.fields)
  fields.set("metadata", { ...plain(structOf("ObjectMeta") ?? any), empty: {} })
  for (const name of ["apiVersion", "kind"]) fields.set(name, plain({ form: "scalar", type: "string" }))
  return { ...root, name: kind.kind, fields }
}

const plain = (shape: Shape): Field => ({ shape, empty: undefined, required: false, retains: false, preset: undefined })

/** The shape that a structural schema describes. */
const ofSchema = (schema: JsonObject): Shape => {
  const type = stringAt(schema, "type")
  if (type === "array") {
    const keys = stringsAt(schema, "x-kubernetes-list-map-keys") ?? []
    const merging = stringAt(schema, "x-kubernetes-list-type") ?? "atomic"
    const of = ofSchema(objectAt(schema, "items"))
    return listOf(of, merging === "map" ? { keys } : merging === "set" ? "set" : "atomic")
  }
  if (type !== "object") return type === undefined ? any : { form: "scalar", type }
  const atomic = schema["x-kubernetes-map-type"] === "atomic"
  const values = schema["additionalProperties"]
  if (isObject(values)) return { form: "map", type: "object", of: ofSchema(values), atomic }
  const fields = Object.entries(objectAt(schema, "properties")).map(
    ([key, _]) => [key, plain(ofSchema(objectAt({ _ }, "_")))] as const
  )
  return {
    form: "struct",
    type: "object",
    name: "",
    fields: new Map(fields),
    atomic,
    open: schema["x-kubernetes-preserve-unknown-fields"] === true
  }
}

/** The shape of a field of an object. */
export const fieldIn = (shape: Shape, key: string): Shape =>
  shape.form === "struct" ? (shape.fields.get(key)?.shape ?? any) : shape.form === "map" ? shape.of : any

/** How a list of this shape is merged. Lists of unknown kinds are atomic. */
export const mergingOf = (shape: Shape): Merging => (shape.form === "list" ? shape.merging : "atomic")

export const itemOf = (shape: Shape): Shape => (shape.form === "list" ? shape.of : any)

/** The value of a merge key, which the API defaults when the item lacks it. */
export const keyValue = (item: JsonObject, key: string, shape: Shape): unknown =>
  item[key] ?? (shape.form === "struct" ? shape.fields.get(key)?.preset : undefined)
