import { Unavailable } from "@portico/contract/Failures"
import type { WorkloadIssuer } from "@portico/store/WorkloadIssuers"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import { KeyEndpoints, type KeySet } from "@portico/upstream/oidc/KeyEndpoints"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, Context, Duration, Effect, Fiber, Layer, Option } from "effect"
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose"

/** How long fetched keys are trusted, and so the longest that a withdrawn key is still accepted. */
const maxAge = Duration.toMillis(Duration.minutes(10))

/** The shortest interval between two fetches for an unknown key, however many tokens name one. */
const cooldown = Duration.toMillis(Duration.seconds(30))

/** After a failed fetch, no fetch starts for this long: every caller gets the failure at once. */
const failurePause = Duration.toMillis(Duration.seconds(2))

/** How many mappings are cached. */
const capacity = 1_000

/** The keys of an issuer as they were fetched. */
export interface Keys {
  readonly find: JWTVerifyGetKey
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number
}

interface Known {
  readonly keys?: Keys
  /** When the last fetch ended, successful or not. */
  readonly triedAt: number
}

/**
 * The keys of the registered issuers. They are fetched when a token needs them,
 * by one fetch for all tokens that wait. The fetch goes on when its clients
 * disconnect. A changed mapping has its own keys.
 */
export class KeySets extends Context.Service<
  KeySets,
  {
    /** 503 when they cannot be fetched. */
    get(issuer: WorkloadIssuer): Effect.Effect<Keys, Unavailable<"issuer_unreachable">>
    /** Newer keys than those without the wanted key; undefined when the last fetch is too recent for another one. */
    after(issuer: WorkloadIssuer, older: Keys): Effect.Effect<Keys | undefined, Unavailable<"issuer_unreachable">>
  }
>()("portico/domain/workloadIdentity/KeySets") {
  static readonly layer = Layer.effect(
    KeySets,
    Effect.gen(function* () {
      const endpoints = yield* KeyEndpoints
      const scope = yield* Effect.scope
      const known = new TtlCache<Known>(capacity)
      const remember = (key: string, entry: Known) => known.keep(key, entry, Infinity)

      const fetch = Effect.fnUntraced(
        function* (key: string, issuer: WorkloadIssuer) {
          const keySet = yield* endpoints.keySet({
            issuer: issuer.issuer,
            discoveryUrl: issuer.discovery_url,
            jwksUri: issuer.jwks_uri,
            ca: issuer.ca
          })
          const fetchedAt = yield* Clock.currentTimeMillis
          const find = Option.getOrUndefined(finderOf(keySet))
          if (find === undefined) return yield* unusable(issuer, "the key set is malformed")
          const keys: Keys = { find, fetchedAt }
          remember(key, { keys, triedAt: fetchedAt })
          return keys
        },
        (effect, key, issuer) =>
          effect.pipe(
            Effect.catchTag("UpstreamError", (error: UpstreamError) => unusable(issuer, error.summary)),
            Effect.tapError(() =>
              Effect.map(Clock.currentTimeMillis, (triedAt) => remember(key, { ...known.get(key, triedAt), triedAt }))
            )
          )
      )

      const fetches = yield* singleFlight<Keys, Unavailable<"issuer_unreachable">>()
      /** A fetch of its own fiber goes on without its clients. Clients that hang up would otherwise start one each. */
      const once = (key: string, issuer: WorkloadIssuer) =>
        Effect.flatMap(
          Effect.forkIn(fetches.get(key, fetch(key, issuer)), scope, { startImmediately: true }),
          Fiber.join
        )

      return KeySets.of({
        get: Effect.fnUntraced(function* (issuer) {
          const key = keyOf(issuer)
          const now = yield* Clock.currentTimeMillis
          const held = known.get(key, now)
          if (held?.keys !== undefined && now < held.keys.fetchedAt + maxAge) return held.keys
          if (held !== undefined && now < held.triedAt + failurePause && !(yield* fetches.isUnderWay(key))) {
            return yield* Unavailable.issuerUnreachable()
          }
          return yield* once(key, issuer)
        }),
        after: Effect.fnUntraced(function* (issuer, older) {
          const key = keyOf(issuer)
          const now = yield* Clock.currentTimeMillis
          const held = known.get(key, now)
          if (held?.keys !== undefined && held.keys !== older && held.keys.fetchedAt >= older.fetchedAt)
            return held.keys
          if (yield* fetches.isUnderWay(key)) return yield* once(key, issuer)
          return now < (held?.triedAt ?? older.fetchedAt) + cooldown ? undefined : yield* once(key, issuer)
        })
      })
    })
  )
}

const keyOf = ({ issuer_id, revision }: WorkloadIssuer): string => `${issuer_id}/${revision}`

const finderOf = Option.liftThrowable((keySet: KeySet) => createLocalJWKSet(jsonWebKeySet(keySet)))

/** jose validates each key before it uses it. */
const jsonWebKeySet = ({ keys }: KeySet): JSONWebKeySet => ({ keys: keys.map((_) => ({ ..._ })) })

/** The caller gets a constant message. The log names the issuer for the operator. */
const unusable = (issuer: WorkloadIssuer, reason: string) =>
  Effect.andThen(
    Effect.annotateLogs(
      Effect.logWarning("the keys of an issuer cannot be fetched", reason),
      "issuer",
      issuer.issuer_id
    ),
    Effect.fail(Unavailable.issuerUnreachable())
  )
