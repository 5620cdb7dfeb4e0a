import { CustomerApi } from "@portico/contract/Api"
import { LongRunning } from "@portico/contract/describe"
import type { Waiting } from "@portico/contract/waiting"
import { Context } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { componentOf, documentedAt, type Json, objectOf, readDocument } from "../document.ts"

/** An operation, as the contract declares it. */
export interface Known {
  /** `databases.create` */
  readonly id: string
  readonly method: string
  /** `/v1/databases/:engine/:name` */
  readonly path: string
  readonly endpoint: HttpApiEndpoint.Top
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
      found.set(id, { id, method: endpoint.method, path: endpoint.path, endpoint, waiting })
    }
  })
  return found
})()

/** What the document says of an operation. */
interface Documented {
  /** What it does, in one line. */
  readonly summary: string
  /** The paths of the fields in its success; undefined when its answer is not JSON of a known shape. */
  readonly fields: ReadonlySet<string> | undefined
}

let remembered: ReadonlyMap<string, Documented> | undefined

/** Of every operation at once, with the first question, so that the document need not stay in memory. */
const documented = (): ReadonlyMap<string, Documented> => {
  if (remembered !== undefined) return remembered
  const document = readDocument()
  const entries = [...knownOperations.values()].map(({ id, method, path }): readonly [string, Documented] => {
    const operation = documentedAt(document, method, path)
    return [id, { summary: String(operation["summary"]), fields: fieldsOf(document, operation) }]
  })
  return (remembered = new Map(entries))
}

/** What an operation does, in one line. */
export const summaryOf = (operation: string): string => documented().get(operation)?.summary ?? ""

/** The paths of the fields in an operation's success, or undefined when its answer is not JSON of a known shape. */
export const declaredFields = (operation: string): ReadonlySet<string> | undefined =>
  documented().get(operation)?.fields

/** The most levels of a schema that are read. */
const deepest = 4

const fieldsOf = (document: Json, { responses }: Json): ReadonlySet<string> | undefined => {
  const [, success] = Object.entries(objectOf(responses)).find(([status]) => status.startsWith("2")) ?? []
  const { schema } = objectOf(objectOf(objectOf(success)["content"])["application/json"])
  return schema === undefined ? undefined : new Set(pathsOf(document, schema, "", 0))
}

const pathsOf = (document: Json, schema: unknown, at: string, level: number): ReadonlyArray<string> => {
  const { $ref, items, properties, ...rest } = objectOf(schema)
  if (typeof $ref === "string") return pathsOf(document, componentOf(document, $ref), at, level)
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((_) => rest[_] ?? [])
  const own =
    level === deepest
      ? []
      : Object.entries(objectOf(properties)).flatMap(([name, one]) => [
          `${at}${name}`,
          ...pathsOf(document, one, `${at}${name}.`, level + 1)
        ])
  return [
    ...own,
    ...parts.flatMap((_) => pathsOf(document, _, at, level)),
    ...(items === undefined ? [] : pathsOf(document, items, at, level))
  ]
}
