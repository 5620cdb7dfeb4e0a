import { Result } from "effect"
import type { JsonObject } from "../Json.ts"
import { requestIdHere } from "../requestIds.ts"
import { type Answer, json, type Step } from "../Wire.ts"

/** The reason of a refusal: of a request, or of an import, whose request has already been answered. */
export interface Refusal {
  readonly code: number
  readonly type: string
  readonly message?: string
}

export type Ruling<A> = Result.Result<A, Refusal>

export const forbid = (code: number, type: string, message: string): Ruling<never> =>
  Result.fail({ code, type, message })

const answerOf = (refusal: Refusal): Answer => json(refusal.code, { ...refusal, request_id: requestIdHere })

/** Turns a ruling into a step. */
export const ruled = <A>(ruling: Ruling<A>): Step<A> => Result.mapError(ruling, answerOf)

export const refuse = (code: number, type: string, message?: string): Step<never> =>
  Result.fail(answerOf({ code, type, ...(message === undefined ? {} : { message }) }))

/** The policy's 403, which has no message. */
export const policyRefused = refuse(403, "forbidden")

/** An invalid field. */
export interface Flaw {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  readonly validator: string
  readonly validator_value: unknown
}

/** Refuses a value that its field does not accept; checked before the validation of the whole object. */
export const refuseError = (error: string | undefined): Step<void> =>
  error === undefined
    ? Result.void
    : refuse(400, "invalid_object", `Provided object is not valid. Got a ValueError error with message ${error}`)

/** Fails with all flaws. */
export const refuseFlaws = (flaws: ReadonlyArray<Flaw>): Step<void> =>
  flaws.length === 0
    ? Result.void
    : Result.fail(
        json(400, { code: 400, type: "invalid_object", errors: { errors: flaws }, request_id: requestIdHere })
      )

/**
 * Refuses keys that the resource does not have, and changes of immutable keys. A key with its present value is
 * no change.
 * @param shown the resource as it is now; empty for a new one
 */
export const onlyKeys = (
  resource: string,
  given: JsonObject,
  writable: ReadonlySet<string>,
  shown: JsonObject = {}
): Step<void> => {
  const wrong = Object.keys(given).filter(
    (key) =>
      !writable.has(key) && !(Object.hasOwn(shown, key) && JSON.stringify(shown[key]) === JSON.stringify(given[key]))
  )
  if (wrong.length === 0) return Result.void
  const keys = `[${wrong.map((_) => `'${_}'`).join(", ")}]`
  const message = `Provided object does not match schema. Keys ${keys} are not valid for ${resource}`
  return refuse(400, "invalid_object", message)
}
