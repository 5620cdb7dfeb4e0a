import { type Route, routesOf } from "../engine/routes.ts"
import { customerOperations } from "../operations/customer.ts"
import { operatorOperations } from "../operations/operator.ts"
import type { Catalogue, Example, Field, Group, Operation, Planes } from "./Catalogue.ts"
import type { Document, DocumentOperation, Parameter, PathItem, Schema } from "./Document.ts"
import { compact, fieldOf, resolved } from "./fieldOf.ts"
import { handMade } from "./handMade.ts"
import { destructive, longInputs, secretInputs } from "./inputs.ts"
import { commandOf } from "./names.ts"
import { callersPart, type CommandAt, plainText } from "./plainText.ts"

// It runs where the bundle is made too, on plain objects: no Effect here.

const routes = routesOf({ ...customerOperations, ...operatorOperations })

interface Place {
  readonly document: Document
  readonly commandAt: CommandAt
}

interface Found {
  readonly path: string
  readonly method: string
  readonly item: PathItem
  readonly operation: DocumentOperation
}

const isOperation = (value: PathItem[string]): value is DocumentOperation =>
  value !== undefined && "operationId" in value

const operationsOf = (document: Document): ReadonlyArray<Found> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      isOperation(operation) ? [{ path, method: method.toUpperCase(), item, operation }] : []
    )
  )

const parametersOf = ({ item, operation }: Found): ReadonlyArray<Parameter> => {
  const own = operation.parameters ?? []
  const inherited = (item.parameters ?? []).filter((_) => !own.some(({ name }) => name === _.name))
  return [...inherited, ...own]
}

const bodyOf = ({ operation }: Found) => {
  const [form, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const takes: Operation["takes"] =
    form === undefined ? undefined : form === "*/*" ? "raw" : form === "application/json" ? "json" : "form"
  return { takes, content }
}

const marked =
  (operation: string) =>
  (field: Field): Field => {
    const secret = secretInputs[operation]?.includes(field.name) === true
    const long = field.long === true || longInputs.has(field.name)
    return {
      ...field,
      ...(secret ? { secret } : {}),
      ...(long ? { long } : {}),
      ...(field.fields === undefined ? {} : { fields: field.fields.map(marked(operation)) })
    }
  }

/** The one array of a list that comes as a whole. */
const wholeListOf = (found: Found, schemas: Readonly<Record<string, Schema>>): string | undefined => {
  const { operation, method } = found
  if (method !== "GET") return undefined
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1]
  const schema = success?.content?.["application/json"]?.schema
  const entries = Object.entries(schema === undefined ? {} : (resolved(schema, schemas).properties ?? {}))
  const arrays = entries.filter(([, property]) => resolved(property, schemas).type === "array")
  const named = operation.operationId.split(".")[1]?.startsWith("list") === true
  return named && arrays.length === 1 ? arrays[0]?.[0] : undefined
}

const exampleOf = (found: Found): Example => {
  const given = (place: string) =>
    parametersOf(found).flatMap((_) => (_.in === place && _.example !== undefined ? [[_.name, _.example]] : []))
  const body = bodyOf(found).content?.examples?.recorded?.value
  return {
    path: Object.fromEntries(given("path")),
    query: Object.fromEntries(given("query")),
    ...(body === undefined ? {} : { body })
  }
}

const streamOf = ({ is }: Route): Operation["stream"] =>
  is.has("sse") ? "sse" : is.has("ndjson") ? "ndjson" : undefined

const catalogued = (found: Found, { commandAt, document }: Place): Operation => {
  const { method, operation, path } = found
  const { schemas } = document.components
  const id = operation.operationId
  const route = routes.named(id)
  const fieldsIn = (place: string) =>
    parametersOf(found)
      .filter((_) => _.in === place)
      .map((_) =>
        fieldOf({ name: _.name, required: _.required === true, description: _.description }, _.schema, schemas)
      )
  const { content, takes } = bodyOf(found)
  const body =
    content?.schema === undefined ? [] : (fieldOf({ name: "", required: true }, content.schema, schemas).fields ?? [])
  const rows = route.rows ?? wholeListOf(found, schemas)
  return compact<Operation>({
    id,
    method,
    path,
    planes: operation["x-portico-planes"],
    summary: operation.summary,
    description: plainText(callersPart(operation.description), commandAt),
    parameters: fieldsIn("path"),
    query: fieldsIn("query"),
    body: body.map(marked(id)),
    takes,
    catchAll: route.path.endsWith("*") ? true : undefined,
    optional: takes !== undefined && operation.requestBody?.required !== true ? true : undefined,
    tier: operation["x-portico-tier"],
    role: operation["x-portico-role"],
    open: route.is.has("open") ? true : undefined,
    secret: operation["x-portico-secret"],
    billed: operation["x-portico-billed"] === true ? true : undefined,
    creates: route.is.has("creates") ? true : undefined,
    destroys: (method === "DELETE" && !route.path.endsWith("*")) || destructive.has(id) ? true : undefined,
    waiting: operation["x-portico-long-running"],
    rows,
    pages: route.rows === undefined ? undefined : true,
    stream: streamOf(route),
    handMade: handMade[id],
    example: exampleOf(found)
  })
}

const commandsAt =
  (all: ReadonlyArray<Found>): CommandAt =>
  (method, path) => {
    const found = all.find((_) => _.method === method && _.path === path)
    return found === undefined ? undefined : `portico ${commandOf(found.operation.operationId)}`
  }

const planesOf = (operations: ReadonlyArray<Operation>): Planes =>
  operations.some((_) => _.planes.includes("customer")) ? ["customer", "operator"] : ["operator"]

/** The catalogue of a document, in the order of its tags. */
export const catalogOf = (document: Document): Catalogue => {
  const all = operationsOf(document)
  const place = { document, commandAt: commandsAt(all) }
  const groupOf = (title: string, description: string): Group => {
    const operations = all.filter((_) => _.operation.tags[0] === title).map((_) => catalogued(_, place))
    return {
      name: operations[0]?.id.split(".")[0] ?? "",
      title,
      description: plainText(description, place.commandAt),
      section: document["x-tagGroups"].find((_) => _.tags.includes(title))?.name ?? "",
      planes: planesOf(operations),
      operations
    }
  }
  return { groups: document.tags.map((_) => groupOf(_.name, _.description)) }
}
