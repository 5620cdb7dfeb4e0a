import type { Unavailable } from "@portico/contract/Failures"
import { Credentials, type DerivedRow, projectMeant } from "@portico/store/Credentials"
import { endedTokensIn } from "@portico/store/ConsoleSessions"
import { Policies } from "@portico/store/Policies"
import { Tenants } from "@portico/store/Tenants"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, Context, Duration, Effect, Layer, Schedule, Stream } from "effect"
import { type Limits, limitsOf } from "./limits.ts"
import { type Bounds, boundsOfRow } from "./bounds.ts"
import { EndedSessions } from "./EndedSessions.ts"
import { type Networks, networksOf } from "./networks.ts"

/** The upper bound (contract, Limits: store resolution cache at most 60 s); replicas learn of changes at once. */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/** A credential or membership, with the state of its tenant. */
export interface AccessRecord {
  readonly credential: DerivedRow
  /** The bounds that it and its makers set. */
  readonly bounds: Bounds
  readonly tenantName: string
  /** The tenant is being deleted, or its account is closing. */
  readonly closing: boolean
  /** The tenant is suspended. */
  readonly suspended: boolean
  /** The limits that the account's policies set for it. */
  readonly limits: Limits
  /** Where it may be used from: the address must lie in a network of each list. */
  readonly networks: ReadonlyArray<Networks>
}

/**
 * Resolves a user id from the gateway's own store. A record is cached until the store notifies this
 * process that it changed. While notifications cannot be received, nothing is cached.
 */
export class Records extends Context.Service<
  Records,
  {
    /** Undefined for a user without a record. 503 when the account's policies cannot be read. */
    get(userId: string): Effect.Effect<AccessRecord | undefined, Unavailable<"policy_unreadable">>
    /** Drops the record at once: this process changed it and does not wait for the notification. */
    forget(userId: string): Effect.Effect<void>
    /** Drops a record and all records of the same project, because some may derive their rights from it. */
    forgetMaker(row: { readonly user_id: string; readonly project_id: string }): Effect.Effect<void>
    /** Drops all records of a project. */
    forgetProject(projectId: string): Effect.Effect<void>
    /**
     * Increases with every change of a whole project; undefined while notifications cannot be
     * received. A result read under an earlier generation may be out of date.
     */
    generation(): number | undefined
    /** Increases with every change of a record or of a whole project that this process has heard of. */
    changes(): number
  }
>()("portico/domain/access/Records") {
  static readonly layer = Layer.effect(
    Records,
    Effect.gen(function* () {
      const credentials = yield* Credentials
      const tenants = yield* Tenants
      const policies = yield* Policies
      const sessions = yield* EndedSessions
      const clock = yield* Clock.Clock
      let isFollowing = false

      const lookup = Effect.fnUntraced(function* (userId: string) {
        const credential = yield* credentials.derived({ userId })
        if (credential === undefined) return undefined
        const { project_id: projectId } = credential
        const bounds = boundsOfRow(credential)
        const [tenant, limits] = yield* Effect.all(
          [tenants.find(projectId), Effect.provideService(limitsOf(projectId, bounds.units), Policies, policies)],
          { concurrency: "unbounded" }
        )
        const closing = tenant !== undefined && tenant.closing.length > 0
        return {
          credential,
          bounds,
          tenantName: tenant?.name ?? "",
          closing,
          suspended: tenant?.suspended ?? false,
          limits,
          networks: bounds.networks.map(networksOf)
        } satisfies AccessRecord
      })

      const known = new TtlCache<AccessRecord>(capacity)
      /** Counts changes: a record that changed during its look-up is not cached. */
      let changesSeen = 0
      let generation = 0
      const cachedLookup = Effect.fnUntraced(function* (userId: string) {
        const before = changesSeen
        const record = yield* lookup(userId)
        // A user without a record may get one at any moment, and no notification announces it.
        if (record !== undefined && before === changesSeen) {
          known.keep(userId, record, clock.currentTimeMillisUnsafe() + Duration.toMillis(timeToLive))
        }
        return record
      })

      const lookups = yield* singleFlight<AccessRecord | undefined, Unavailable<"policy_unreadable">>()

      const forget = (userId: string) =>
        Effect.suspend(() => {
          changesSeen += 1
          known.forget(userId)
          return lookups.forget(userId)
        })

      const forgetProject = (projectId: string) =>
        Effect.suspend(() => {
          changesSeen += 1
          generation += 1
          known.forgetAll((_) => _.credential.project_id === projectId)
          return lookups.forgetAll
        })

      const forgetAll = Effect.suspend(() => {
        changesSeen += 1
        generation += 1
        known.forgetAll()
        return lookups.forgetAll
      })

      const follow = Effect.gen(function* () {
        const changes = yield* credentials.changes
        yield* forgetAll
        yield* sessions.follow
        isFollowing = true
        yield* Stream.runForEach(changes, (change) => {
          const ended = endedTokensIn(change)
          if (ended !== undefined) return Effect.sync(() => sessions.note(ended))
          const projectId = projectMeant(change)
          return projectId === undefined ? forget(change) : forgetProject(projectId)
        })
      }).pipe(
        Effect.scoped,
        Effect.ensuring(
          Effect.sync(() => {
            isFollowing = false
            sessions.unfollow()
          })
        ),
        Effect.catchCause((cause) => Effect.logWarning("changes of credentials cannot be followed", cause)),
        Effect.repeat(Schedule.spaced("1 second"))
      )
      yield* Effect.forkScoped(follow)

      return Records.of({
        get: (userId) => {
          if (!isFollowing) return lookup(userId)
          const record = known.get(userId, clock.currentTimeMillisUnsafe())
          return record === undefined ? lookups.get(userId, cachedLookup(userId)) : Effect.succeed(record)
        },
        forget,
        forgetMaker: (row) => Effect.andThen(forget(row.user_id), forgetProject(row.project_id)),
        forgetProject,
        generation: () => (isFollowing ? generation : undefined),
        changes: () => changesSeen
      })
    })
  )
}
