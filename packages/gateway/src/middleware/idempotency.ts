import { type Caller, CurrentCaller } from "@portico/contract/Access"
import { Conflict, Forbidden, Invalid, Unprocessable } from "@portico/contract/Failures"
import { Creates, type FieldPath, idempotencyKeyHeader, oneTimeFields } from "@portico/contract/Idempotency"
import { RunToCompletion } from "@portico/domain/RunToCompletion"
import { type Claim, type Claimed, IdempotencyKeys, keyLease } from "@portico/store/IdempotencyKeys"
import { Config, Duration, Effect, Exit, Layer, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../requests/Place.ts"
import { idempotencyKeyOf, recognition } from "./idempotencyKey.ts"
import { keptAnswer, replayed } from "./keptAnswer.ts"
import { respond } from "./respond.ts"

const Hours = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 720 }))

/** In seconds: how soon it is worth asking for a call that is under way. */
const retryAfter = 1

/** A call, and whose it is. */
export interface KeyedCall {
  readonly caller: Caller
  readonly request: HttpServerRequest.HttpServerRequest
  /** Where the secrets are in its answer. */
  readonly secrets: ReadonlyArray<FieldPath>
}

/**
 * Carries out a call with an `Idempotency-Key` once, and repeats its answer.
 *
 * A success is kept. Every other outcome gives the key back: creations that
 * fail have changed nothing, or what they left is taken up by the next try.
 *
 * Errors: 403 for a caller who is less than when the call was made; 409 while
 * it is under way; 422 for a key that is none, or stands for another request.
 */
export const carriesOutOnce = Effect.gen(function* () {
  const keys = yield* IdempotencyKeys
  const owned = yield* RunToCompletion
  const recognised = recognition(yield* Config.Redacted("TENANT_PASSWORD_KEY"))
  const kept = Duration.hours(yield* Config.schema(Hours, "IDEMPOTENCY_HOURS").pipe(Config.withDefault(24)))

  return Effect.fnUntraced(function* <E, R>(
    { caller, request, secrets }: KeyedCall,
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) {
    const header = request.headers[idempotencyKeyHeader]
    if (header === undefined) return yield* httpEffect
    const name = idempotencyKeyOf(header)
    if (name === undefined) return yield* notAKey
    // It was read before, and is known.
    const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
    const [, query] = request.url.split("?", 2)
    const call = recognised(caller, name, { method: request.method, path: pathOf(request.url), query, body })
    const claim = yield* keys.claim(call, kept)
    if (claim.kind !== "mine") return yield* told(claim, caller)
    // Whoever hangs up asks again, and finds it done.
    return yield* owned.run(carriedOut(keys, claim.claimed, secrets, httpEffect))
  })
})

/** Behind whatever decides who may call, so that a key opens nothing. */
export const CreatesLive = Layer.effect(
  Creates,
  Effect.map(carriesOutOnce, (once) =>
    Creates.of(
      Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const caller = yield* CurrentCaller
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* once({ caller, request, secrets: oneTimeFields(endpoint) }, httpEffect)
      })
    )
  )
)

/** What there is of a call that somebody else carries out, or has carried out. */
const told = (claim: Exclude<Claim, { readonly kind: "mine" }>, { role, tier }: Caller) => {
  if (claim.kind === "other") return Effect.fail(Unprocessable.idempotencyKeyReused())
  if (claim.kind === "busy") {
    return Effect.map(
      respond(Conflict.idempotencyInFlight()),
      HttpServerResponse.setHeader("retry-after", String(retryAfter))
    )
  }
  return tier < claim.tier || role !== claim.role
    ? Effect.fail(Forbidden.replayBeyondRights())
    : Effect.succeed(replayed(claim.answer))
}

const carriedOut = <E, R>(
  keys: IdempotencyKeys["Service"],
  claimed: Claimed,
  secrets: ReadonlyArray<FieldPath>,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const settled = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) => {
    const answer = Exit.isSuccess(exit) && isSuccess(exit.value) ? keptAnswer(exit.value, secrets) : undefined
    return answer === undefined ? keys.release(claimed) : keys.answer(claimed, answer)
  }
  // Of a database that fails just now the caller hears nothing: what it asked for is done.
  const settling = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) =>
    Effect.catchCause(settled(exit), (cause) => Effect.logError("an idempotency key could not be settled", cause))
  const alive = keys.renew(claimed).pipe(
    Effect.catchCause((cause) => Effect.logWarning("an idempotency key was not renewed", cause)),
    Effect.delay(Duration.divideUnsafe(keyLease, 4)),
    Effect.forever
  )
  return Effect.raceFirst(Effect.onExit(httpEffect, settling), alive)
}

const isSuccess = ({ status }: HttpServerResponse.HttpServerResponse): boolean => status >= 200 && status < 300

const notAKey = Invalid.issues([
  {
    loc: ["header", "Idempotency-Key"],
    msg: "Input should be 1 to 255 visible ASCII characters, in quotes or without",
    type: "value_error"
  }
])
