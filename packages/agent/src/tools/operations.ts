import type { Caller } from "@portico/contract/Access"
import { areaOf } from "@portico/contract/areas"
import { Billed } from "@portico/contract/describe"
import { Context, Effect, Predicate, Result } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "../Api.ts"
import { answerOf } from "../answers/answerOf.ts"
import { refused } from "./answers.ts"
import { type Argument, argumentsOf, keyArgument } from "./arguments.ts"
import { type Json, readDocument } from "../document.ts"
import { needsRole, type Operation, operations, reasonAgainst, routeOf } from "./operation.ts"
import { requestOf } from "./requests.ts"
import { inputOf } from "./schemas.ts"
import { sentencesOf, within } from "./sentences.ts"
import type { Arguments, Tool } from "./Tool.ts"

type Permits = (caller: Caller, endpoint: HttpApiEndpoint.Top) => boolean

/**
 * The operations of the customer plane as tools, except those that `reasonAgainst` names.
 *
 * @param permits whether the API would let a caller reach an endpoint
 */
export const operationTools = (permits: Permits): ReadonlyArray<Tool> => documented().map((_) => _(permits))

type DocumentedTool = (permits: Permits) => Tool

let remembered: ReadonlyArray<DocumentedTool> | undefined

/** All of a tool but who sees it is the same in every gateway of a process, the first of which reads the document. */
const documented = (): ReadonlyArray<DocumentedTool> => {
  if (remembered !== undefined) return remembered
  const document = readDocument()
  const found = operations(document).filter((_) => reasonAgainst(_) === undefined)
  const names = new Map(found.map((_) => [routeOf(_.endpoint), nameOf(_.id)]))
  return (remembered = found.map((_) => toolOf(_, names, document)))
}

/** @param names the tools of routes, such as `GET /v1/dns/zones/{zone_id}` */
const toolOf = (operation: Operation, names: ReadonlyMap<string, string>, document: Json): DocumentedTool => {
  const { endpoint, id, repeatable, summary } = operation
  const arguments_ = argumentsOf(operation)
  const tool: Omit<Tool, "visibleTo"> = {
    name: nameOf(id),
    operation: id,
    title: summary,
    description: describedAs(operation, names, arguments_),
    input: inputOf(
      operation,
      arguments_.filter((_) => _.offered),
      document
    ),
    area: areaOf(endpoint.path),
    writes: endpoint.method !== "GET",
    weight: Context.get(endpoint.annotations, Billed) ? ["billed"] : [],
    // A creation with a key can be repeated with the same key.
    idempotent: endpoint.method === "GET" || endpoint.method === "PUT" || repeatable || repeats.has(id),
    run: Effect.fnUntraced(function* (agent, given) {
      const key = repeatable ? yield* keyOf(given) : undefined
      const request = requestOf(operation, arguments_, given, key)
      if (Result.isFailure(request)) return refused(request.failure)
      const answer = answerOf(yield* (yield* Api).call(agent, request.success))
      // With the key the model can repeat the call, when this answer or the API's answer is lost.
      return key === undefined ? answer : { ...answer, body: { ...answer.body, [keyArgument]: key } }
    })
  }
  return (permits) => ({
    ...tool,
    visibleTo: ({ caller }) =>
      permits(caller, endpoint) && !needsRole(operation) && (caller.billing || !operation.billingAccess)
  })
}

/** POST and PATCH operations without a key that may be repeated, as the contract says. */
const repeats: ReadonlySet<string> = new Set([
  "edge.verify",
  "edge.resync",
  "dns.importZone",
  "dns.changeZone",
  "dns.changeRecordset",
  "webhooks.update",
  "integrations.update",
  "alarms.update"
])

/** The key of the arguments, or a new one. A key of a wrong type is refused later, with the other arguments. */
const keyOf = (given: Arguments): Effect.Effect<string> => {
  const { [keyArgument]: key } = given
  return Predicate.isString(key) ? Effect.succeed(key) : Effect.sync(() => crypto.randomUUID())
}

/** `objectStorage.listBuckets` as `object_storage_list_buckets`. */
export const nameOf = (id: string): string =>
  id.replaceAll(/[.-]/g, "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The most characters of a description after the summary. */
const longest = { reads: 160, writes: 320 }

const describedAs = (
  operation: Operation,
  names: ReadonlyMap<string, string>,
  arguments_: ReadonlyArray<Argument>
): string => {
  const { description, endpoint, summary, waiting } = operation
  const named = description.replaceAll(/`([A-Z]+ \/v1\/[^`]+)`/g, (all, route: string) => names.get(route) ?? all)
  const withheld = arguments_.filter((_) => !_.offered).map((_) => new RegExp(`\\b${_.name}\\b`))
  const sentences = sentencesOf(named).filter((sentence) => !withheld.some((_) => _.test(sentence)))
  return [
    `${summary}.`,
    within(sentences, endpoint.method === "GET" ? longest.reads : longest.writes),
    Context.get(endpoint.annotations, Billed) ? "It is billed." : "",
    waiting === undefined
      ? ""
      : `It goes on after the answer: call ${nameOf(waiting.read)} until ${waiting.field} is ${waiting.done.join(" or ")}.`
  ]
    .filter((_) => _ !== "")
    .join(" ")
}
