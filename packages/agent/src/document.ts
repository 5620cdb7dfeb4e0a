import { Predicate } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

/** A JSON object of the document. */
export type Json = Readonly<Record<string, unknown>>

/** The value itself, or an empty object when it is none. */
export const objectOf = (value: unknown): Json => (Predicate.isReadonlyObject(value) ? value : {})

/**
 * Reads the committed OpenAPI document of the customer plane. It has two megabytes, so callers take what they need of
 * it once and let go of the rest.
 */
export const readDocument = (): Json =>
  objectOf(
    JSON.parse(readFileSync(createRequire(import.meta.url).resolve("@portico/contract/openapi.customer.json"), "utf8"))
  )

/** What the document says about an operation, such as `GET` and `/v1/databases/:engine/:name`. */
export const documentedAt = (document: Json, method: string, path: string): Json =>
  objectOf(objectOf(objectOf(document["paths"])[templateOf(path)])[method.toLowerCase()])

/** `/v1/databases/{engine}/{name}`, as the document spells it. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}").replace("/*", "/{path}")

/** The component schema of a reference. */
export const componentOf = (document: Json, $ref: string): Json =>
  objectOf(objectOf(objectOf(document["components"])["schemas"])[$ref.split("/").at(-1) ?? ""])
