import { Caller, CallerTenant } from "@portico/contract/Access"
import { type TooManyRequests, Unauthorized, type Unavailable } from "@portico/contract/Failures"
import { Policies } from "@portico/store/Policies"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { type LiveToken, WorkloadTokens } from "@portico/store/WorkloadTokens"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, Context, DateTime, Duration, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { type Limits, limited, limitsOf } from "./limits.ts"
import { AuthenticationQueue } from "./AuthenticationQueue.ts"
import type { PresentedToken } from "./PresentedToken.ts"
import { type Bounds, boundsOf, type Standing, standingOfMakers, type Unworkable, works } from "./bounds.ts"
import { type Networks, networksOf, type Source } from "./networks.ts"
import { Records } from "./Records.ts"

/** The prefix of the gateway's own tokens. No other token has it, so the identity provider is not asked about them. */
const prefix = "portico_wi_"

/** A new random token with 256 bits. */
export const newIssuedToken = (): Redacted.Redacted =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64url")}`)

export const isIssued = (token: PresentedToken): boolean => token.startsWith(prefix)

/** The upper bound; replicas learn of changes at once. */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/** A valid token and its caller. */
export interface IssuedRecord {
  readonly caller: Caller
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /**
   * The tenant is being deleted, or its account is closing: the token is held, like the tenant's
   * machine credentials.
   */
  readonly held: boolean
  /** Where it may be used from: the address must lie in a network of each list. */
  readonly networks: ReadonlyArray<Networks>
  /** The standing of its makers at the look-up. None of their rights ends before the token does. */
  readonly makers: Standing
}

/**
 * Resolves the gateway's own tokens. The store knows them by their hash. A result is cached until
 * something that it depends on changes: the mapping that issued the token, the token's makers, the
 * tenant, or its policies. Every process is notified of such changes; while it cannot receive them,
 * it caches nothing.
 */
export class Issued extends Context.Service<
  Issued,
  {
    /**
     * 401 for a token that has expired, or whose mapping or tenant is gone; 503 when the tenant's
     * policies cannot be read.
     */
    resolve(
      token: PresentedToken,
      source?: Source
    ): Effect.Effect<
      IssuedRecord,
      | Unworkable
      | Unavailable<"policy_unreadable">
      | Unavailable<"identity_provider_unreachable">
      | TooManyRequests<"rate_limited">
    >
  }
>()("portico/domain/access/Issued") {
  static readonly layer = Layer.effect(
    Issued,
    Effect.gen(function* () {
      const tokens = yield* WorkloadTokens
      const tenants = yield* Tenants
      const policies = yield* Policies
      const records = yield* Records
      const queue = yield* AuthenticationQueue
      const clock = yield* Clock.Clock

      const lookup = Effect.fnUntraced(function* (hash: string) {
        const live = yield* tokens.find(hash)
        if (live === undefined) return undefined
        const { project_id: projectId } = live.issuer
        const bounds = boundsOf(
          {
            tier: live.issuer.tier,
            billing: true,
            agent: false,
            endsAt: live.token.expires_at,
            networks: null
          },
          live.makers
        )
        const [tenant, limits] = yield* Effect.all(
          [tenants.find(projectId), Effect.provideService(limitsOf(projectId, bounds.units), Policies, policies)],
          { concurrency: "unbounded" }
        )
        if (tenant === undefined) return undefined
        return {
          caller: callerOf(live, bounds, tenant, limits),
          expiresAt: DateTime.toEpochMillis(bounds.endsAt ?? live.token.expires_at),
          held: tenant.closing.length > 0,
          networks: bounds.networks.map(networksOf),
          makers: standingOfMakers(live.makers, clock.currentTimeMillisUnsafe())
        } satisfies IssuedRecord
      })

      /** With the records' generation at the look-up: the entry is valid in that generation alone. */
      const known = new TtlCache<{ readonly record: IssuedRecord; readonly generation: number }>(capacity)

      const lookups = yield* singleFlight<IssuedRecord | undefined, Unavailable<"policy_unreadable">>()
      const cachedLookup = Effect.fnUntraced(function* (hash: string, generation: number) {
        const record = yield* lookup(hash)
        if (record !== undefined) {
          const until = clock.currentTimeMillisUnsafe() + Duration.toMillis(timeToLive)
          known.keep(hash, { record, generation }, Math.min(until, record.expiresAt))
        }
        return record
      })

      /** Tokens that were valid: they do not wait for unknown ones of their source. */
      const seen = new TtlCache<true>(capacity)

      const cachedRecord = (hash: string): IssuedRecord | undefined => {
        const held = known.get(hash, clock.currentTimeMillisUnsafe())
        return held !== undefined && held.generation === records.generation() ? held.record : undefined
      }

      const get = (hash: string) => {
        const generation = records.generation()
        if (generation === undefined) return lookup(hash)
        const record = cachedRecord(hash)
        return record === undefined
          ? // A look-up of an earlier generation may have missed a change.
            lookups.get(`${generation} ${hash}`, cachedLookup(hash, generation))
          : Effect.succeed(record)
      }

      return Issued.of({
        resolve: Effect.fnUntraced(function* ({ hash }, source) {
          const record =
            cachedRecord(hash) ??
            (yield* queue.ask({ kind: "token", key: hash, source, known: seen.get(hash, 0) === true }, get(hash)))
          if (record !== undefined) seen.keep(hash, true, record.expiresAt)
          if (record === undefined) return yield* Unauthorized.tokenNotActive()
          if (record.held) return yield* Unauthorized.suspended()
          yield* works(record.makers)
          return record
        })
      })
    })
  )
}

/**
 * A workload as a caller. The credential id is the mapping's, the same for all workloads that the
 * mapping admits: it stays the same while tokens change. The user is the service account, and not a
 * user of the identity provider.
 */
const callerOf = (
  { issuer, makers, token }: LiveToken,
  bounds: Bounds,
  tenant: TenantEntry,
  limits: Limits
): Caller => {
  const [maker] = makers
  const [networks] = bounds.networks
  return new Caller({
    userId: `${issuer.issuer_id}/${token.subject.split(":").slice(2).join("/")}`,
    userName: "",
    userEmail: "",
    roles: [],
    ...limited(bounds.tier, limits, maker?.ou ?? null),
    tenant: new CallerTenant({
      projectId: issuer.project_id,
      name: tenant.name,
      suspended: tenant.suspended,
      source: "workload_identity"
    }),
    admin: false,
    human: false,
    credentialId: issuer.issuer_id,
    credentialLabel: token.subject,
    kind: bounds.agent ? "mcp" : "workload",
    recordId: token.token_hash,
    expiresAt: DateTime.toEpochMillis(bounds.endsAt ?? token.expires_at),
    // A workload gets a new token whenever it wants one, so its mapping counts.
    issuedAt: DateTime.toEpochMillis(issuer.created_at),
    role: null,
    billing: bounds.billing,
    ...(networks === undefined ? {} : { networks })
  })
}
