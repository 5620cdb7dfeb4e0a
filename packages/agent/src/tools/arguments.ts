import { DestroysWith } from "@portico/contract/Access"
import { agentMints } from "@portico/contract/Credentials"
import { Context } from "effect"
import { type Json, objectOf } from "../document.ts"
import type { Operation, Parameter } from "./operation.ts"

/** An argument of an operation's tool. */
export interface Argument {
  /** The name of the tool's argument. */
  readonly name: string
  /** The name of the API's parameter or field. */
  readonly field: string
  readonly place: "path" | "query" | "body" | "idempotency-key"
  /** The schema in the OpenAPI document, with its references. */
  readonly schema: Json
  readonly description: string
  readonly required: boolean
  /**
   * Whether the schema of the tool has it. One that needs tier 2, which no agent has, is not offered; where a call gives
   * it nevertheless, the API judges it.
   */
  readonly offered: boolean
  /** The value that the tool sends when the argument is missing. */
  readonly default?: number | string
}

/** The rows of a page unless the call names a limit. It is small, because a model reads all of them. */
export const usualLimit = 20

export const keyArgument = "idempotency_key"

/** Query parameters that only platform administrators may send. No agent is one. */
const forAdministrators: ReadonlySet<string> = new Set(["project", "project_id", "scope"])

/** Query parameters that tools leave out, by operation: they only shorten a list, and every token of a tool costs. */
const leftOut: Readonly<Record<string, ReadonlySet<string>>> = {
  "credentials.list": new Set(["kind", "made_by", "unused_days"])
}

/** What is narrower for agents than for others, by operation and field; the rest of the schema stays. */
const narrowed: Readonly<Record<string, Readonly<Record<string, Pick<Argument, "schema" | "default">>>>> = {
  // Contract, Authentication 8: what an agent mints, and what it means without the fields. The API itself ends it after
  // 7 days, or with the agent when that is earlier.
  "credentials.mint": {
    kind: { schema: { enum: [agentMints.kind] }, default: agentMints.kind },
    tier: { schema: { enum: [0, agentMints.tier] }, default: 0 },
    expires_in_days: { schema: { maximum: agentMints.days, default: agentMints.days } }
  }
}

/** Other names for fields of the body whose name a parameter has already. */
const renamed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "databases.restore": { name: "new_name" }
}

/**
 * The arguments of an operation's tool: parameters and fields of the body, side by side. Two of one name are a defect.
 */
export const argumentsOf = (operation: Operation): ReadonlyArray<Argument> => {
  const found = [
    ...operation.parameters.filter((_) => isOffered(operation.id, _)).map(ofParameter),
    ...ofBody(operation),
    ...(operation.repeatable ? [key] : [])
  ]
  const names = new Set(found.map((_) => _.name))
  if (names.size < found.length) throw new Error(`${operation.id} has two arguments of one name`)
  return found
}

const isOffered = (operationId: string, { name, place }: Parameter): boolean =>
  place === "path" || !(forAdministrators.has(name) || leftOut[operationId]?.has(name) === true)

const ofParameter = ({ description, name, place, required, schema }: Parameter): Argument => ({
  name,
  field: name,
  place,
  schema,
  description,
  required,
  offered: true,
  ...(name === "limit" ? { default: usualLimit } : {})
})

const ofBody = ({ body, endpoint, id }: Operation): ReadonlyArray<Argument> => {
  if (body === undefined) return []
  const destroying = Context.get(endpoint.annotations, DestroysWith)?.flag
  const { properties, required } = body.schema
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(objectOf(properties)).map(([field, schema]) => {
    const { default: sent, schema: narrower } = narrowed[id]?.[field] ?? { schema: {} }
    return {
      name: renamed[id]?.[field] ?? field,
      field,
      place: "body" as const,
      schema: { ...objectOf(schema), ...narrower },
      description: "",
      required: needed.has(field) && sent === undefined,
      offered: field !== destroying,
      ...(sent === undefined ? {} : { default: sent })
    }
  })
}

const key: Argument = {
  name: keyArgument,
  field: keyArgument,
  place: "idempotency-key",
  schema: { type: "string" },
  description: "Send the same again to repeat a call whose answer was lost.",
  required: false,
  offered: true
}
