import { TooManyRequests, Unavailable } from "@portico/contract/Failures"
import { TtlCache, makeRoom } from "@portico/upstream/TtlCache"
import { Clock, Config, Context, Deferred, Duration, Effect, Layer, Option, PartitionedSemaphore, Schema } from "effect"
import type { Source } from "./networks.ts"
import { siteOf } from "./sites.ts"
import { SourcePace } from "./SourcePace.ts"

/** Who asks about what. */
export interface Question {
  /** A login takes the provider far longer than a token, because it hashes secrets slowly: tokens do not wait for logins. */
  readonly kind: "token" | "login"
  /** Of the token or the login; never the secret itself. */
  readonly key: string
  readonly source: Source | undefined
  /** It was good a while ago: it does not wait for what others of its source bring. */
  readonly known: boolean
}

/** No question waits longer for its place, whoever is in front of it. */
const longestQueue = Duration.seconds(10)
/** How long a token that was refused a turn has its own lane, and one that is expected is known; in milliseconds. */
const returning = 60_000
/** Sources and refused tokens that are remembered. */
const sourceCapacity = 10_000
const refusedCapacity = 50_000

const Permits = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1000 }))

/**
 * The one way to the identity provider for what strangers bring. So many
 * questions are asked at once, by turns of the sources, however many one of
 * them has. A source that brought many dead tokens lately gets so many turns a
 * second for tokens that are not known; one that finds no turn gets a 429, and
 * when it comes again it does not wait behind tokens that were never seen: a
 * flood is made of these, a client that tries again is not.
 */
export class AuthenticationQueue extends Context.Service<
  AuthenticationQueue,
  {
    /**
     * @param look undefined for a token or login that is dead
     *
     * Errors: 429 for a source that brought too many dead ones; 503 when no place is found in time.
     */
    ask<A, E, R>(
      question: Question,
      look: Effect.Effect<A | undefined, E, R>
    ): Effect.Effect<
      A | undefined,
      E | TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">,
      R
    >
    /** What has this key comes from the identity provider itself a moment ago: it is known, see {@link Question}. */
    expect(key: string): Effect.Effect<void>
    /** One dead token of the source was the secret of a login that is good. */
    absolve(source: Source | undefined): Effect.Effect<void>
  }
>()("portico/domain/access/AuthenticationQueue") {
  static readonly layer = Layer.effect(
    AuthenticationQueue,
    Effect.gen(function* () {
      const permits = yield* Config.schema(Permits, "IDENTITY_PROVIDER_CONCURRENCY").pipe(Config.withDefault(32))
      const places = {
        token: yield* PartitionedSemaphore.make<string>({ permits }),
        login: yield* PartitionedSemaphore.make<string>({ permits: Math.ceil(permits / 2) })
      }
      const clock = yield* Clock.Clock
      const paces = new Map<string, SourcePace>()
      const refused = new TtlCache<true>(refusedCapacity)
      const expected = new TtlCache<true>(refusedCapacity)

      const paceOf = (site: string): SourcePace => {
        const found = paces.get(site)
        if (found !== undefined) return found
        makeRoom(paces, sourceCapacity)
        const pace = new SourcePace()
        paces.set(site, pace)
        return pace
      }

      const siteOfSource = (source: Source | undefined) => siteOf(source?.() ?? "")

      const refuse = (key: string) =>
        Effect.suspend(() => {
          refused.keep(key, true, clock.currentTimeMillisUnsafe() + returning)
          return Effect.fail(TooManyRequests.rateLimited("deadTokens"))
        })

      /** The look has begun within the time, or it does not begin. */
      const inPlace = <A, E, R>(
        kind: Question["kind"],
        partition: string,
        look: Effect.Effect<A, E, R>,
        late: Effect.Effect<never, Unavailable<"identity_provider_unreachable"> | TooManyRequests<"rate_limited">>
      ) =>
        Effect.flatMap(Deferred.make<void>(), (begun) =>
          Effect.raceFirst(
            places[kind].withPermit(partition)(Effect.andThen(Deferred.succeed(begun, undefined), look)),
            Effect.andThen(
              Effect.timeoutOrElse(Deferred.await(begun), { duration: longestQueue, orElse: () => late }),
              Effect.never
            )
          )
        )

      return AuthenticationQueue.of({
        ask: <A, E, R>({ key, kind, known: knownBefore, source }: Question, look: Effect.Effect<A | undefined, E, R>) =>
          Effect.suspend(() => {
            const known = knownBefore || expected.get(key, clock.currentTimeMillisUnsafe()) === true
            const site = siteOfSource(source)
            const pace = paceOf(site)
            const lane = refused.get(key, clock.currentTimeMillisUnsafe()) === true ? "returning" : "new"
            const dead = Effect.sync(() => pace.noteDead(clock.currentTimeMillisUnsafe()))
            const counted = look.pipe(
              Effect.tap((answer) => (answer === undefined ? dead : Effect.void)),
              // A client that hangs up has asked all the same.
              Effect.onInterrupt(() => dead)
            )
            const isHeld = () => !known && pace.isHeld(clock.currentTimeMillisUnsafe())
            const late = Effect.suspend(
              (): Effect.Effect<
                never,
                TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">
              > => (isHeld() ? refuse(key) : Effect.fail(Unavailable.identityProvider()))
            )
            const partition = known ? `known ${key}` : `${lane} ${site}`
            const inTurn = Effect.suspend(() => {
              const wait = pace.turn(lane, clock.currentTimeMillisUnsafe())
              return wait === undefined
                ? refuse(key)
                : Effect.andThen(Effect.sleep(wait), inPlace(kind, partition, counted, late))
            })
            if (isHeld()) return inTurn
            // Those in front of it may have been the dead ones that its source is held for.
            const unheld = Effect.suspend(() => (isHeld() ? Effect.succeedNone : Effect.asSome(counted)))
            return Effect.flatMap(inPlace(kind, partition, unheld, late), (answer) =>
              Option.isNone(answer) ? inTurn : Effect.succeed(answer.value)
            )
          }),
        expect: (key) => Effect.sync(() => expected.keep(key, true, clock.currentTimeMillisUnsafe() + returning)),
        absolve: (source) => Effect.sync(() => paceOf(siteOfSource(source)).absolve(clock.currentTimeMillisUnsafe()))
      })
    })
  )
}
