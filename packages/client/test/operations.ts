import { Authenticated } from "@portico/contract/Access"
import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import { LongRunning } from "@portico/contract/describe"
import { Creates } from "@portico/contract/Idempotency"
import { Context, Predicate, type Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, HttpApiSchema } from "effect/http-api"

/** An operation as it is declared. */
export interface Declared {
  readonly operation: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly creates: boolean
  /** Without a bearer. */
  readonly open: boolean
}

const declaredIn = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Declared> => {
  const found: Array<Declared> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      const keys = new Set([...middleware].map((_) => _.key))
      found.push({
        operation: `${group.identifier}.${endpoint.identifier}`,
        endpoint,
        creates: keys.has(Creates.key),
        open: !keys.has(Authenticated.key)
      })
    }
  })
  return found
}

/** The declared operations of each plane. */
export const declared = { customer: declaredIn(CustomerApi), operator: declaredIn(OperatorApi) }

const objectsIn = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.Objects> =>
  SchemaAST.isObjects(ast) ? [ast] : SchemaAST.isUnion(ast) ? ast.types.flatMap(objectsIn) : []

const encoded = (schema: Schema.Top): SchemaAST.AST => SchemaAST.toEncoded(schema.ast)

const keysIn = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema === undefined
    ? []
    : objectsIn(encoded(schema)).flatMap((_) => _.propertySignatures.map(({ name }) => String(name)))

const payloadsOf = ({ payload }: HttpApiEndpoint.Top): ReadonlyArray<Schema.Top> =>
  [...payload.values()].flatMap((_) => [..._.schemas])

const isObjectBody = (schema: Schema.Top): boolean => objectsIn(encoded(schema)).length > 0

/** The keys of the input of an operation, by where they go. */
export const keysOf = (endpoint: HttpApiEndpoint.Top) => ({
  path: [...endpoint.path.matchAll(/:(\w+)/g)].map(([, key = ""]) => key),
  query: keysIn(endpoint.query),
  body: payloadsOf(endpoint).flatMap(keysIn)
})

/** The keys of a body that its path or query have too. */
export const clashes = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const { body, path, query } = keysOf(endpoint)
  return body.filter((_) => path.includes(_) || query.includes(_))
}

const successesOf = ({ success }: HttpApiEndpoint.Top): ReadonlyArray<Schema.Top> =>
  [...success].map((_) => (HttpApiSchema.isWithHeaders(_) ? _.schema : _))

/** Tenants that wait for a decision are whole on every page; folders stand beside the objects. */
const beside: ReadonlySet<PropertyKey> = new Set(["pending", "common_prefixes"])

/** The field with the rows of a page, in an operation that answers with pages. */
const rowsOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const objects = successesOf(endpoint).flatMap((_) => objectsIn(encoded(_)))
  const fields = objects.flatMap((_) => _.propertySignatures)
  if (!fields.some(({ name }) => name === "next_cursor" || name === "next_continuation_token")) return []
  return fields.flatMap(({ name, type }) => (SchemaAST.isArrays(type) && !beside.has(name) ? [String(name)] : []))
}

const streamOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> =>
  successesOf(endpoint).flatMap((_) =>
    Predicate.hasProperty(_, "_tag") && _["_tag"] === "StreamSse"
      ? ["sse"]
      : Predicate.hasProperty(_, "_tag") && _["_tag"] === "StreamNdjson"
        ? ["ndjson"]
        : []
  )

const rowOf = ({ creates, endpoint, open }: Declared): string => {
  const payloads = payloadsOf(endpoint)
  const body = payloads.some(isObjectBody)
  const { query } = keysOf(endpoint)
  const flags = [
    ...(body ? ["body"] : []),
    ...(clashes(endpoint).length === 0 ? [] : ["apart"]),
    ...(payloads.every(isObjectBody) ? [] : ["optional"]),
    ...(creates ? ["creates"] : []),
    ...(open ? ["open"] : []),
    ...streamOf(endpoint),
    ...rowsOf(endpoint).map((_) => `rows=${_}`)
  ]
  const target = body && query.length > 0 ? `${endpoint.path}?${query.join(",")}` : endpoint.path
  return [endpoint.method, target, ...flags].join(" ")
}

/** How to wait for each long-running operation, as the client has it. */
export const waitingTable = (operations: ReadonlyArray<Declared>): string =>
  operations
    .flatMap(({ endpoint, operation }) => {
      const waiting = Context.get(endpoint.annotations, LongRunning)
      return waiting === undefined ? [] : [`  "${operation}": ${JSON.stringify(waiting)}`]
    })
    .join(",\n")

/** The table of operations as the client has it. */
export const tableOf = (operations: ReadonlyArray<Declared>): string =>
  operations.map((_) => `  "${_.operation}": "${rowOf(_)}"`).join(",\n")
