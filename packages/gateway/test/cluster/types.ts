import { Predicate } from "effect"
import { builtIns } from "@portico/simulator/kubernetes/kinds"

type Json = { readonly [key: string]: unknown }

const objectOf = (value: unknown): Json => (Predicate.isObject(value) ? { ...value } : {})
const textOf = (value: unknown): string => (Predicate.isString(value) ? value : "")
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Schemas without fields of their own, by the last word of their name. */
const simple: Readonly<Record<string, string>> = {
  Quantity: "quantity",
  Time: "time",
  MicroTime: "time",
  IntOrString: "intOrString",
  FieldsV1: "any",
  RawExtension: "any",
  JSONSchemaProps: "any"
}

const formats: Readonly<Record<string, string>> = { byte: "bytes", int32: "int32", int64: "int64", double: "float64" }
const scalars: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  integer: "int64",
  number: "float64"
}

const referenceOf = (schema: Json): string => {
  const [first] = listOf(schema["allOf"])
  return textOf((first === undefined ? schema : objectOf(first))["$ref"]).replace("#/components/schemas/", "")
}

/**
 * The types of the simulator's built-in kinds, in the words of types.ts, out of the OpenAPI documents of an API server.
 */
export const condensed = (documents: ReadonlyArray<unknown>): Readonly<Record<string, string>> => {
  const schemas = new Map(
    documents.flatMap((_) => Object.entries(objectOf(objectOf(objectOf(_)["components"])["schemas"])))
  )
  const last = (name: string) => name.split(".").at(-1) ?? ""
  /** Two groups have an `EndpointPort`: the one that is not of the core is spelt with its group. */
  const shortOf = (name: string): string => {
    const all = [...schemas.keys()].filter((_) => last(_) === last(name) && !/\.v\d+(alpha|beta)\d+\./.test(_))
    return all.length === 1 || /\.(core|meta)\.v1\./.test(name)
      ? last(name)
      : name.split(".").toSpliced(-2, 1).slice(-2).join(".")
  }
  const types = new Map<string, string>()

  const typeOf = (schema: Json): string => {
    const reference = referenceOf(schema)
    if (reference === "") return formats[textOf(schema["format"])] ?? scalars[textOf(schema["type"])] ?? "any"
    const known = simple[last(reference)]
    if (known !== undefined) return known
    if (objectOf(schemas.get(reference))["properties"] === undefined) return "any"
    visit(reference)
    return shortOf(reference)
  }

  const field = (name: string, schema: Json, required: boolean): string => {
    const fallback = schema["default"]
    const isStruct = referenceOf(schema) !== ""
    const mark = `${isStruct && fallback !== undefined ? "!" : ""}${required ? "*" : ""}`
    const retains = textOf(schema["x-kubernetes-patch-strategy"]).includes("retainKeys") ? "$" : ""
    const scalar = Predicate.isString(fallback) || Predicate.isNumber(fallback) || Predicate.isBoolean(fallback)
    const preset = scalar && fallback !== "" && fallback !== 0 && fallback !== false ? `=${String(fallback)}` : ""
    if (schema["type"] === "array") {
      const merging = {
        map: listOf(schema["x-kubernetes-list-map-keys"]).join(","),
        set: "=",
        atomic: "",
        "": ""
      }[textOf(schema["x-kubernetes-list-type"])]
      return `${name}${mark}${retains}[${merging ?? ""}]:${typeOf(objectOf(schema["items"]))}`
    }
    const values = schema["additionalProperties"]
    if (values === undefined) return `${name}${mark}${retains}:${typeOf(schema)}${preset}`
    const inner = objectOf(values)
    const whole = schema["x-kubernetes-map-type"] === "atomic" ? "@" : ""
    return `${name}${mark}{${whole}}:${inner["type"] === "array" ? `[]${typeOf(objectOf(inner["items"]))}` : typeOf(inner)}`
  }

  const visit = (name: string): void => {
    const short = shortOf(name)
    if (types.has(short)) return
    types.set(short, "")
    const schema = objectOf(schemas.get(name))
    const required = new Set(listOf(schema["required"]))
    const fields = Object.entries(objectOf(schema["properties"])).map(([key, _]) =>
      field(key, objectOf(_), required.has(key))
    )
    const whole = schema["x-kubernetes-map-type"] === "atomic" ? ["@"] : []
    types.set(short, [...whole, ...fields].join(" "))
  }

  for (const { group, kind, version } of builtIns) {
    const [name] = [...schemas].find(([_, schema]) =>
      listOf(objectOf(schema)["x-kubernetes-group-version-kind"]).some((of) => {
        const own = objectOf(of)
        return own["group"] === group && own["kind"] === kind && own["version"] === version && last(_) === kind
      })
    ) ?? [""]
    if (name !== "") visit(name)
  }
  return Object.fromEntries([...types].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
