import { CustomerApi } from "@portico/contract/Api"
import { LongRunning, type Waiting } from "@portico/contract/describe"
import { documents } from "@portico/contract/openapi/documents"
import { Context, Predicate } from "effect"
import { HttpApi } from "effect/http-api"

/** An operation, as the contract declares it. */
export interface Known {
  /** `databases.create` */
  readonly id: string
  readonly method: string
  /** `/v1/databases/:engine/:name` */
  readonly path: string
  /** How a caller waits for the work that the operation begins. */
  readonly waiting: Waiting | undefined
}

/** The operations of the customer plane by their ids in the OpenAPI document. */
export const knownOperations: ReadonlyMap<string, Known> = (() => {
  const found = new Map<string, Known>()
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const id = `${group.identifier}.${endpoint.identifier}`
      const waiting = Context.get(endpoint.annotations, LongRunning)
      found.set(id, { id, method: endpoint.method, path: endpoint.path, waiting })
    }
  })
  return found
})()

type Json = Readonly<Record<string, unknown>>

const record = (value: unknown): Json => (Predicate.isReadonlyObject(value) ? value : {})

/** The most levels of a schema that are read. */
const deepest = 4

const documentedAt = ({ method, path }: Known): Json =>
  record(record(record(documents.customer.paths)[path.replaceAll(/:(\w+)/g, "{$1}")])[method.toLowerCase()])

/** What an operation does, in one line. */
export const summaryOf = (operation: string): string => {
  const known = knownOperations.get(operation)
  return known === undefined ? "" : String(documentedAt(known)["summary"])
}

const remembered = new Map<string, ReadonlySet<string>>()

/** The paths of the fields in an operation's success, or undefined when its answer is not JSON of a known shape. */
export const declaredFields = (operation: string): ReadonlySet<string> | undefined => {
  const before = remembered.get(operation)
  if (before !== undefined) return before
  const known = knownOperations.get(operation)
  if (known === undefined) return undefined
  const { responses } = documentedAt(known)
  const [, success] = Object.entries(record(responses)).find(([status]) => status.startsWith("2")) ?? []
  const { schema } = record(record(record(success)["content"])["application/json"])
  if (schema === undefined) return undefined
  const paths = new Set(pathsOf(schema, "", 0))
  remembered.set(operation, paths)
  return paths
}

const pathsOf = (schema: unknown, at: string, level: number): ReadonlyArray<string> => {
  const { $ref, items, properties, ...rest } = record(schema)
  if (typeof $ref === "string") return pathsOf(component($ref), at, level)
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((_) => rest[_] ?? [])
  const own =
    level === deepest
      ? []
      : Object.entries(record(properties)).flatMap(([name, one]) => [
          `${at}${name}`,
          ...pathsOf(one, `${at}${name}.`, level + 1)
        ])
  return [
    ...own,
    ...parts.flatMap((_) => pathsOf(_, at, level)),
    ...(items === undefined ? [] : pathsOf(items, at, level))
  ]
}

const component = ($ref: string): unknown =>
  record(record(documents.customer.components).schemas)[$ref.split("/").at(-1) ?? ""]
