import { Result } from "effect"
import { has, objectAt } from "../Json.ts"
import type { Check } from "../neutron/attributes.ts"
import type { Incoming } from "../Wire.ts"
import { refuse, type Step } from "./policy.ts"

/** One attribute of a body. Without `initial` it must be there in a create, and null stands for it. */
export interface Field {
  readonly check: Check
  readonly initial?: unknown
  readonly required?: true
  /** Fixed by the create. */
  readonly put?: false
  /** Read from a create and not kept. */
  readonly kept?: false
}

export type Fields = Readonly<Record<string, Field>>
export type Values = Readonly<Record<string, unknown>>

/** The object under the resource's name, or the 400 of a body without it. */
export const wrapped = ({ json }: Incoming, resource: string): Step<Values> =>
  has(json, resource) ? Result.succeed(objectAt(json, resource)) : refuse(400, `Missing argument: "${resource}_"`)

const invalid = (name: string, value: unknown, why: string): Step<never> =>
  refuse(400, `Invalid input for field/attribute ${name}. Value: '${String(value)}'. ${why}`)

/** What a create or an update says, converted: what is unknown, missing or of the wrong kind is a 400. */
export const read = (fields: Fields, resource: string, given: Values, method: "POST" | "PUT"): Step<Values> =>
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
        // Null clears a value, which sets it back to what it is without being named.
        if (field.kept !== false) values[name] = field.initial ?? null
        continue
      }
      const checked = field.check(value)
      if ("wrong" in checked) return yield* invalid(name, value, checked.wrong)
      values[name] = checked.value
    }
    return values
  })
