import { Result } from "effect"
import { randomUUID } from "node:crypto"
import { type Answer, json } from "../Wire.ts"

/** One step of a call: what it yields, or the answer that ends the call. */
export type Step<A> = Result.Result<A, Answer>

/** Why something may not be: also what becomes of an import, whose caller has long been answered. */
export interface Refusal {
  readonly code: number
  readonly type: string
  readonly message?: string
}

export type Ruling<A> = Result.Result<A, Refusal>

export const forbid = (code: number, type: string, message: string): Ruling<never> =>
  Result.fail({ code, type, message })

const requestId = () => `req-${randomUUID()}`

const answerOf = (refusal: Refusal): Answer => json(refusal.code, { ...refusal, request_id: requestId() })

/** The step that a ruling makes of a call. */
export const ruled = <A>(ruling: Ruling<A>): Step<A> => Result.mapError(ruling, answerOf)

export const refuse = (code: number, type: string, message?: string): Step<never> =>
  Result.fail(answerOf({ code, type, ...(message === undefined ? {} : { message }) }))

/** The policy's refusal, which says nothing. */
export const policyRefused = refuse(403, "forbidden")

/** A field that is not what it should be. */
export interface Flaw {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  readonly validator: string
  readonly validator_value: unknown
}

/** A value that its field does not take, told before anything is validated as a whole. */
export const sound = (error: string | undefined): Step<void> =>
  error === undefined
    ? Result.succeed(undefined)
    : refuse(400, "invalid_object", `Provided object is not valid. Got a ValueError error with message ${error}`)

/** Fails with all the flaws there are. */
export const flawless = (flaws: ReadonlyArray<Flaw>): Step<void> =>
  flaws.length === 0
    ? Result.succeed(undefined)
    : Result.fail(json(400, { code: 400, type: "invalid_object", errors: { errors: flaws }, request_id: requestId() }))

/**
 * Keys that the resource does not have, or that cannot be changed to what is
 * given. The value that is there already is no change.
 *
 * @param shown the resource as it is now; empty for a new one
 */
export const onlyKeys = (
  resource: string,
  given: Readonly<Record<string, unknown>>,
  writable: ReadonlySet<string>,
  shown: Readonly<Record<string, unknown>> = {}
): Step<void> => {
  const wrong = Object.keys(given).filter(
    (key) =>
      !writable.has(key) && !(Object.hasOwn(shown, key) && JSON.stringify(shown[key]) === JSON.stringify(given[key]))
  )
  if (wrong.length === 0) return Result.succeed(undefined)
  const keys = `[${wrong.map((_) => `'${_}'`).join(", ")}]`
  const message = `Provided object does not match schema. Keys ${keys} are not valid for ${resource}`
  return refuse(400, "invalid_object", message)
}
