import { AnswersSecret, Authenticated, BillingAccess, tierNeeded } from "@portico/contract/Access"
import { CustomerApi } from "@portico/contract/Api"
import { LongRunning } from "@portico/contract/describe"
import type { Waiting } from "@portico/contract/waiting"
import { Creates } from "@portico/contract/Idempotency"
import { Context, Predicate } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { componentOf, documentedAt, type Json, objectOf, templateOf } from "../document.ts"

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A parameter of the path or the query, as the OpenAPI document has it. */
export interface Parameter {
  readonly name: string
  readonly place: "path" | "query"
  readonly schema: Json
  readonly description: string
  readonly required: boolean
  readonly example: unknown
}

/** An operation of the customer plane, from its declaration and the committed OpenAPI document. */
export interface Operation {
  /** `credentials.mint` */
  readonly id: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly summary: string
  /** Markdown, without the section on access. */
  readonly description: string
  readonly authenticated: boolean
  /** Whether only callers with billing access may call it. */
  readonly billingAccess: boolean
  /** Whether it takes an `Idempotency-Key`. */
  readonly repeatable: boolean
  readonly waiting: Waiting | undefined
  readonly parameters: ReadonlyArray<Parameter>
  /** Undefined for an operation without a JSON body. */
  readonly body: { readonly schema: Json; readonly required: boolean; readonly example: unknown } | undefined
}

/** Every operation of the customer plane that the document has. */
export const operations = (document: Json): ReadonlyArray<Operation> => {
  const found: Array<Operation> = []
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const documented = documentedAt(document, endpoint.method, endpoint.path)
      if (documented["operationId"] === undefined) return
      const keys = new Set([...middleware].map((_) => _.key))
      found.push({
        id: String(documented["operationId"]),
        endpoint,
        summary: String(documented["summary"]),
        description: (String(documented["description"]).split("**Access**")[0] ?? "").trim(),
        authenticated: keys.has(Authenticated.key),
        billingAccess: keys.has(BillingAccess.key),
        repeatable: keys.has(Creates.key),
        waiting: Context.get(endpoint.annotations, LongRunning),
        parameters: listOf(documented["parameters"]).flatMap(parameterOf),
        body: bodyOf(document, documented)
      })
    }
  })
  return found
}

/** `POST /v1/credentials`, as the document spells it. */
export const routeOf = ({ method, path }: HttpApiEndpoint.Top): string => `${method} ${templateOf(path)}`

const parameterOf = (value: unknown): ReadonlyArray<Parameter> => {
  const { description, example, in: place, name, required, schema } = objectOf(value)
  if (place !== "path" && place !== "query") return []
  return [
    {
      name: String(name),
      place,
      schema: objectOf(schema),
      description: Predicate.isString(description) ? description : "",
      required: required === true,
      example
    }
  ]
}

const bodyOf = (document: Json, documented: Json): Operation["body"] => {
  const { content, required } = objectOf(documented["requestBody"])
  const { examples, schema } = objectOf(objectOf(content)["application/json"])
  if (schema === undefined) return undefined
  return {
    schema: resolved(document, objectOf(schema)),
    required: required === true,
    example: objectOf(objectOf(examples)["recorded"])["value"]
  }
}

/** A schema of the document with its reference resolved. A description beside the reference wins. */
export const resolved = (document: Json, schema: Json): Json => {
  const { $ref, ...beside } = schema
  if (!Predicate.isString($ref)) return schema
  return { ...resolved(document, componentOf(document, $ref)), ...beside }
}

/**
 * Why an operation is not a tool; undefined when it is one. The reason follows from the declaration where it can; for
 * the other operations, {@link decided} names it.
 */
export const reasonAgainst = ({ authenticated, endpoint, id }: Operation): Reason | undefined => {
  if (!authenticated) return "no authentication"
  if (endpoint.path.endsWith("*")) return "catch-all"
  if (tierNeeded(endpoint) === 2) return "tier 2"
  if (Context.get(endpoint.annotations, AnswersSecret) === "stored") return "stored secret"
  return decided[id]
}

export type Reason =
  | "no authentication"
  /** The catch-alls have tools of their own, see `proxies.ts`. */
  | "catch-all"
  | "tier 2"
  | "stored secret"
  | "stream"
  | "destroys"
  | "not for agents"

/**
 * Operations that are not tools, for reasons that their declarations do not have. These are tools, although they look
 * alike:
 *
 * - `object-storage.presign` answers an address that gives access for at most 15 minutes. It shows no stored secret,
 *   and the call is audited. `presignUpload` does not offer `overwrite`, which needs tier 2.
 * - `credentials.mint`, `credentials.rotate` and `webhooks.create` answer a new secret, of something that the agent
 *   created. The contract lets agents mint.
 * - `dns.importZone` deletes only with `prune`, which needs tier 2 and is not offered.
 * - `databases.rotateCredentials` ends a password and destroys no data.
 */
const decided: Readonly<Record<string, Reason>> = {
  // For both there is a tool that lists the same in pages.
  "events.tail": "stream",
  "audit.export": "stream",
  // When a group becomes smaller, its newest servers are deleted with all their data. Tier 1 suffices for that.
  "autoscaling.update": "destroys",
  "autoscaling.trigger": "destroys",
  // A pod that calls the API uses it. A model would have the service account's token in its context.
  "workload-identity.exchange": "not for agents",
  // Made for pages in a browser. Every tool takes room in each agent's list.
  "object-storage.listVersions": "not for agents",
  "object-storage.cors": "not for agents",
  "object-storage.setCors": "not for agents"
}

/**
 * Operations that need a person's role, which no agent has. No list has their tools, and the API refuses their calls.
 */
const forRoles: ReadonlySet<string> = new Set(["org-users.list", "org-users.invite", "org-users.setBilling"])

/** Whether the operation needs a person's role in the account. */
export const needsRole = ({ id }: Operation): boolean => forRoles.has(id)
