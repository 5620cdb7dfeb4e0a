import { type Caller, CurrentCaller } from "@portico/contract/Access"
import { Conflict, Forbidden, Invalid, Unprocessable } from "@portico/contract/Failures"
import { Creates, type FieldPath, idempotencyKeyHeader, oneTimeFields } from "@portico/contract/Idempotency"
import { renewingEvery } from "@portico/domain/work/lease"
import { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import { type Claimed, type Held, IdempotencyKeys, keyLease } from "@portico/store/IdempotencyKeys"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { Config, Duration, Effect, Exit, Layer, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../requests/route.ts"
import { idempotencyKeyOf, recognition, type RecognisedCall } from "./idempotencyKey.ts"
import { keptAnswer, replayed } from "./keptAnswer.ts"
import { respond } from "./respond.ts"

const Hours = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 720 }))

/** Seconds after which a client should retry while the first call is under way. */
const retryAfter = 1

/** A call and its caller. */
export interface KeyedCall {
  readonly caller: Caller
  readonly request: HttpServerRequest.HttpServerRequest
  /** Paths of the secrets in its answer. */
  readonly secrets: ReadonlyArray<FieldPath>
}

/**
 * Carries out a call with an `Idempotency-Key` once, and replays its answer.
 *
 * A success is stored. Every other outcome releases the key: a creation that fails has changed nothing, or the next
 * attempt takes up what it left.
 *
 * Errors: 403 for a caller with fewer rights than at the first call; 409 while the call is under way; 422 for an
 * invalid key, or one that belongs to another request.
 */
export const carriesOutOnce = Effect.gen(function* () {
  const keys = yield* IdempotencyKeys
  const completion = yield* RunToCompletion
  const recognise = recognition(yield* tenantKeys)
  const retention = Duration.hours(yield* Config.schema(Hours, "IDEMPOTENCY_HOURS").pipe(Config.withDefault(24)))

  return Effect.fnUntraced(function* <E, R>(
    { caller, request, secrets }: KeyedCall,
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) {
    const header = request.headers[idempotencyKeyHeader]
    if (header === undefined) return yield* httpEffect
    const name = idempotencyKeyOf(header)
    if (name === undefined) return yield* invalidKey
    // An earlier middleware has read the body, and it is cached.
    const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
    const [, query] = request.url.split("?", 2)
    const recognised = recognise(caller, name, { method: request.method, path: pathOf(request.url), query, body })
    const claim = yield* claimOf(keys, recognised, retention)
    if (claim.kind !== "mine") return yield* answerTo(claim, caller)
    // The call runs to completion even when the client disconnects: its retry finds the stored answer.
    return yield* completion.run(carryOut(keys, claim.claimed, secrets, httpEffect))
  })
})

/**
 * Claims the call, unless a replica for which another key is the first one holds it. Each claims before it looks for
 * the others' claims, so that of two that come at once at most one goes on.
 */
const claimOf = Effect.fnUntraced(function* (
  keys: IdempotencyKeys["Service"],
  { call, others }: RecognisedCall,
  retention: Duration.Duration
) {
  const claim = yield* keys.claim(call, retention)
  if (claim.kind !== "mine") return claim
  const release = keys.release(claim.claimed)
  const found = yield* Effect.forEach(others, keys.find).pipe(Effect.onError(() => release))
  const held = found.find((_) => _ !== undefined)
  if (held === undefined) return claim
  yield* release
  return held
})

/** After authorization, so a key grants no access. */
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

/** The answer to a repeated call whose key another request holds. */
const answerTo = (claim: Held, { role, tier }: Caller) => {
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

const carryOut = <E, R>(
  keys: IdempotencyKeys["Service"],
  claimed: Claimed,
  secrets: ReadonlyArray<FieldPath>,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const settle = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) => {
    const answer = Exit.isSuccess(exit) && isSuccess(exit.value) ? keptAnswer(exit.value, secrets) : undefined
    return answer === undefined ? keys.release(claimed) : keys.answer(claimed, answer)
  }
  // A database failure at this point is logged only: the operation that the caller requested is done.
  const settleSafely = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) =>
    Effect.catchCause(settle(exit), (cause) => Effect.logError("an idempotency key could not be settled", cause))
  return renewingEvery({
    what: "the lease of an idempotency key",
    interval: Duration.divideUnsafe(keyLease, 4),
    renew: keys.renew(claimed)
  })(Effect.onExit(httpEffect, settleSafely))
}

const isSuccess = ({ status }: HttpServerResponse.HttpServerResponse): boolean => status >= 200 && status < 300

const invalidKey = Invalid.issues([
  {
    loc: ["header", "Idempotency-Key"],
    msg: "Input should be 1 to 255 visible ASCII characters, in quotes or without",
    type: "value_error"
  }
])
