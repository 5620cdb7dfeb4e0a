import { isObject } from "@portico/client/isObject"
import type { Operation, Plane, Shape } from "@portico/client/catalogue/Catalogue"
import { catalogOf } from "@portico/client/catalogue/catalogOf"
import type { OperationCall } from "@portico/client/catalogue/Call"
import type { Document } from "@portico/client/catalogue/Document"
import { operationsFor } from "@portico/client/catalogue/operationsFor"
import { readFileSync } from "node:fs"

export const base = "https://plane.example"

const documentOf = (plane: Plane): Document =>
  JSON.parse(readFileSync(new URL(`../../../contract/generated/openapi.${plane}.json`, import.meta.url), "utf8"))

/** What the page of a plane has. */
export const shapes = {
  customer: operationsFor(documentOf("customer")),
  operator: operationsFor(documentOf("operator"))
}

/** An operation with its recorded request, as the input that the client takes. */
export interface Recorded {
  readonly operation: Operation
  readonly call: OperationCall
}

/** On the wire every query parameter is text. */
const typed = (operation: Shape, query: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(query).map(([key, value]) => {
      const type = operation.query.find(({ name }) => name === key)?.type
      if (type === "boolean") return [key, String(value) === "true"]
      return [key, type === "integer" || type === "number" ? Number(value) : value]
    })
  )

const inputOf = (operation: Operation) => {
  const { body, path, query } = operation.example
  const isApart = operation.body.some(({ name }) => name in path) || operation.takes === "raw"
  const given = isApart ? (body === undefined ? {} : { body }) : isObject(body) ? body : {}
  return { ...path, ...typed(operation, query), ...given }
}

const recordedOn = (plane: Plane): ReadonlyArray<Recorded> =>
  catalogOf(documentOf(plane)).groups.flatMap(({ operations }) =>
    operations.flatMap((operation) => {
      const shape = shapes[plane].find(({ id }) => id === operation.id)
      const hasPath = operation.parameters.every(({ name }) => operation.example.path[name] !== undefined)
      // What both planes have is the same on both.
      const isTwice = plane === "operator" && operation.planes.includes("customer")
      if (shape === undefined || !hasPath || isTwice) return []
      return [{ operation, call: { base, plane, operation: shape, input: inputOf(operation) } }]
    })
  )

/** Every operation with a recorded request. */
export const recorded: ReadonlyArray<Recorded> = [...recordedOn("customer"), ...recordedOn("operator")]

export const callOf = (id: string): OperationCall => {
  const found = recorded.find(({ operation }) => operation.id === id)
  if (found === undefined) throw new Error(`Nothing is recorded of ${id}`)
  return found.call
}

/** The path of the recorded request, percent-encoded. */
export const recordedPath = ({ catchAll, example, path }: Operation): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    catchAll === true ? String(example.path[key]) : encodeURIComponent(String(example.path[key]))
  )

const sorted = (pairs: ReadonlyArray<readonly [string, unknown]>): ReadonlyArray<string> =>
  pairs.map(([key, value]) => `${key}=${String(value)}`).toSorted()

export const recordedQuery = ({ example }: Operation): ReadonlyArray<string> =>
  sorted(
    Object.entries(example.query).flatMap(([key, value]) =>
      (Array.isArray(value) ? value : [value]).map((one: unknown) => [key, one] as const)
    )
  )

export const queryOf = (url: URL): ReadonlyArray<string> => sorted([...url.searchParams])

/** A body that is required, and has no field that is, is sent empty. */
export const recordedBody = ({ example, optional, takes }: Operation): unknown =>
  example.body ?? (takes === "json" && optional !== true ? {} : undefined)
