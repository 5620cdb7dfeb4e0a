import { Result } from "effect"
import { has, type JsonObject, objectAt } from "../Json.ts"
import type { Check } from "../neutron/attributes.ts"
import type { Incoming, Step } from "../Wire.ts"
import { refuse } from "./policy.ts"

/** One attribute of a body. Without `initial` a create must have it, and null is its empty value. */
export interface Field {
  readonly check: Check
  readonly initial?: unknown
  readonly required?: true
  /** Immutable after the create. */
  readonly put?: false
  /** Accepted in a create and not stored. */
  readonly kept?: false
}

export type Fields = Readonly<Record<string, Field>>
/** The object under the resource's name, or the 400 of a body without it. */
export const wrapped = ({ json }: Incoming, resource: string): Step<JsonObject> =>
  has(json, resource) ? Result.succeed(objectAt(json, resource)) : refuse(400, `Missing argument: "${resource}_"`)

const invalid = (name: string, value: unknown, why: string): Step<never> =>
  refuse(400, `Invalid input for field/attribute ${name}. Value: '${String(value)}'. ${why}`)

/** The converted attributes of a create or an update; an unknown, missing or invalid attribute is a 400. */
export const read = (fields: Fields, resource: string, given: JsonObject, method: "POST" | "PUT"): Step<JsonObject> =>
  Result.gen(function* () {
    const unknown = Object.keys(given).find(
      (_) => !Object.hasOwn(fields, _) || (method === "PUT" && fields[_]?.put === false)
    )
    if (unknown !== undefined) {
      return yield* refuse(400, `Unknown attribute for argument ${resource}_.${resource}: ${unknown}`)
    }
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(fields)) {
      const value = given[name]
      if (value === undefined || value === null) {
        if (method === "PUT" && value === undefined) continue
        if (field.required === true && method === "POST") {
          return yield* invalid(name, "None", "Mandatory field missing.")
        }
        // Null resets an attribute to its default.
        if (field.kept !== false) values[name] = field.initial ?? null
        continue
      }
      const checked = field.check(value)
      if ("wrong" in checked) return yield* invalid(name, value, checked.wrong)
      values[name] = checked.value
    }
    return values
  })
