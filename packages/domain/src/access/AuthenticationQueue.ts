import { TooManyRequests, Unavailable } from "@portico/contract/Failures"
import { begunWithin } from "@portico/upstream/limits/FairSemaphore"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, Config, Context, Duration, Effect, Layer, Option, PartitionedSemaphore, Schema } from "effect"
import { Threads } from "../limits/Threads.ts"
import { siteOf, type Source } from "./networks.ts"
import { SourceRate } from "../limits/SourceRate.ts"

/** One authentication that needs the identity provider. */
export interface Question {
  /** Tokens do not wait for logins: the provider hashes secrets slowly, so a login takes far longer than a token. */
  readonly kind: "token" | "login"
  /** The hash of the token or the login; never the secret itself. */
  readonly key: string
  readonly source: Source | undefined
  /** It was valid a while ago, so it does not wait behind other requests of its source. */
  readonly known: boolean
}

type Refused = TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">

/** The longest wait for a permit. */
const longestQueue = Duration.seconds(10)
/** How long a rejected token stays in its own lane, and how long an expected key counts as known; in milliseconds. */
const memoryMillis = 60_000
/** The most sources and the most rejected tokens that are remembered. */
const sourceCapacity = 10_000
const refusedCapacity = 50_000

const Permits = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1000 }))

/**
 * Every authentication of an unknown token or login reaches the identity provider through this
 * queue. A fixed number of look-ups runs at once; the sources take turns, however many look-ups one
 * of them has queued. A source that brought many dead tokens lately gets a fixed number of turns a
 * second for its unknown tokens. A token that gets no turn is answered with 429. When the client
 * retries it, the token does not wait behind tokens never seen before, because a flood consists of
 * new tokens and a retry does not.
 */
export class AuthenticationQueue extends Context.Service<
  AuthenticationQueue,
  {
    /**
     * @param look returns undefined for a dead token or login
     *
     * Errors: 429 for a source that brought too many dead tokens; 503 when no permit is free in
     * time.
     */
    ask<A, E, R>(
      question: Question,
      look: Effect.Effect<A | undefined, E, R>
    ): Effect.Effect<A | undefined, E | Refused, R>
    /** The identity provider has just issued the token with this key: it counts as known, see {@link Question}. */
    expect(key: string): Effect.Effect<void>
    /** A token of the source that counted as dead was the secret of a valid login. */
    absolve(source: Source | undefined): Effect.Effect<void>
  }
>()("portico/domain/access/AuthenticationQueue") {
  static readonly layer = Layer.effect(
    AuthenticationQueue,
    Effect.gen(function* () {
      const { count: threads = 1 } = (yield* Threads) ?? {}
      const concurrency = yield* Config.schema(Permits, "IDENTITY_PROVIDER_CONCURRENCY").pipe(Config.withDefault(32))
      const permits = Math.ceil(concurrency / threads)
      const semaphores = {
        token: yield* PartitionedSemaphore.make<string>({ permits }),
        login: yield* PartitionedSemaphore.make<string>({ permits: Math.ceil(permits / 2) })
      }
      const clock = yield* Clock.Clock
      const rates = new TtlCache<SourceRate>(sourceCapacity)
      const refused = new TtlCache<true>(refusedCapacity)
      const expected = new TtlCache<true>(refusedCapacity)

      const rateOf = (site: string): SourceRate => {
        const found = rates.get(site, 0)
        if (found !== undefined) return found
        const rate = new SourceRate()
        rates.keep(site, rate, Infinity)
        return rate
      }

      /**
       * Calls without an address share one rate and one partition. Their clients have hung up, or they come from the
       * gateway itself; without a common rate they would be the way around every limit.
       */
      const siteOfSource = (source: Source | undefined) => siteOf(source?.() ?? "")

      const refuse = (key: string) =>
        Effect.suspend(() => {
          refused.keep(key, true, clock.currentTimeMillisUnsafe() + memoryMillis)
          return Effect.fail(TooManyRequests.rateLimited("deadTokens"))
        })

      /** Fails with `late` unless the look-up starts within {@link longestQueue}. */
      const withPermit = <A, E, R>(
        kind: Question["kind"],
        partition: string,
        look: Effect.Effect<A, E, R>,
        late: Effect.Effect<never, Refused>
      ) => begunWithin(longestQueue, late, look, semaphores[kind].withPermit(partition))

      return AuthenticationQueue.of({
        ask: <A, E, R>({ key, kind, known: knownBefore, source }: Question, look: Effect.Effect<A | undefined, E, R>) =>
          Effect.suspend(() => {
            const known = knownBefore || expected.get(key, clock.currentTimeMillisUnsafe()) === true
            const site = siteOfSource(source)
            const rate = rateOf(site)
            const lane = refused.get(key, clock.currentTimeMillisUnsafe()) === true ? "returning" : "new"
            const dead = Effect.sync(() => rate.noteDead(clock.currentTimeMillisUnsafe()))
            const counted = look.pipe(
              Effect.tap((answer) => (answer === undefined ? dead : Effect.void)),
              // A client that disconnects has used its turn as well.
              Effect.onInterrupt(() => dead)
            )
            const isHeld = () => !known && rate.isHeld(clock.currentTimeMillisUnsafe())
            const late = Effect.suspend((): Effect.Effect<never, Refused> =>
              isHeld() ? refuse(key) : Effect.fail(Unavailable.identityProvider())
            )
            const partition = known ? `known ${key}` : `${lane} ${site}`
            const inTurn = Effect.suspend(() => {
              const wait = rate.turn(lane, clock.currentTimeMillisUnsafe())
              return wait === undefined
                ? refuse(key)
                : Effect.andThen(Effect.sleep(wait), withPermit(kind, partition, counted, late))
            })
            if (isHeld()) return inTurn
            // The look-ups before it may have brought the dead tokens that its source is now throttled for.
            const unheld = Effect.suspend(() => (isHeld() ? Effect.succeedNone : Effect.asSome(counted)))
            return Effect.flatMap(withPermit(kind, partition, unheld, late), (answer) =>
              Option.isNone(answer) ? inTurn : Effect.succeed(answer.value)
            )
          }),
        expect: (key) => Effect.sync(() => expected.keep(key, true, clock.currentTimeMillisUnsafe() + memoryMillis)),
        absolve: (source) => Effect.sync(() => rateOf(siteOfSource(source)).absolve(clock.currentTimeMillisUnsafe()))
      })
    })
  )
}
