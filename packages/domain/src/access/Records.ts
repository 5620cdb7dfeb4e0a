import type { Unavailable } from "@portico/contract/Failures"
import { Credentials, type DerivedRow, projectMeant } from "@portico/store/Credentials"
import { Policies } from "@portico/store/Policies"
import { Tenants } from "@portico/store/Tenants"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Cache, Clock, Context, Duration, Effect, Layer, Schedule, Stream } from "effect"
import { type Limits, limitsOf } from "./limits.ts"
import { type Bounds, boundsOfRow } from "./bounds.ts"
import { type Networks, networksOf } from "./networks.ts"

/** The backstop: changes are heard of at once (contract, Limits: store resolution cache at most 60 s). */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/** A credential or membership, with what is known of its tenant. */
export interface AccessRecord {
  readonly credential: DerivedRow
  /** What it and its makers leave to it. */
  readonly bounds: Bounds
  readonly tenantName: string
  /** The tenant is being deleted, or its account is closing. */
  readonly closing: boolean
  /** The tenant is suspended. */
  readonly suspended: boolean
  /** What the account's policies leave to it. */
  readonly limits: Limits
  /** Where it may be used from: a network of each list. */
  readonly networks: ReadonlyArray<Networks>
}

/**
 * Whom a user id acts for, out of our own store. Kept until the store says
 * that it changed, which every process hears; while it cannot hear, it keeps
 * nothing.
 */
export class Records extends Context.Service<
  Records,
  {
    /** Undefined for a user without a record. 503 when the account's policies cannot be read. */
    get(userId: string): Effect.Effect<AccessRecord | undefined, Unavailable<"policy_unreadable">>
    /** This process changed the record and does not wait to hear of it. */
    forget(userId: string): Effect.Effect<void>
    /** The same of a record and of all that has its rights from it, which is of the same project. */
    forgetMaker(row: { readonly user_id: string; readonly project_id: string }): Effect.Effect<void>
    /** The same of all records of a project. */
    forgetProject(projectId: string): Effect.Effect<void>
    /**
     * Grows with everything that is heard of a whole project; undefined while
     * nothing can be heard. What was read before it grew may be otherwise now.
     */
    generation(): number | undefined
  }
>()("portico/domain/access/Records") {
  static readonly layer = Layer.effect(
    Records,
    Effect.gen(function* () {
      const credentials = yield* Credentials
      const tenants = yield* Tenants
      const policies = yield* Policies
      const clock = yield* Clock.Clock
      let hearing = false

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
      /** Counts what was heard: a record that was looked up while it changed is not kept. */
      let heard = 0
      let generation = 0
      const keptLookup = Effect.fnUntraced(function* (userId: string) {
        const before = heard
        const record = yield* lookup(userId)
        // A user without a record may get one at any moment, and nothing would tell.
        if (record !== undefined && before === heard) {
          known.keep(userId, record, clock.currentTimeMillisUnsafe() + Duration.toMillis(timeToLive))
        }
        return record
      })

      /** Only for those who ask at the same time. */
      const asked = yield* Cache.makeWith(keptLookup, { capacity, timeToLive: () => Duration.zero })

      const forget = (userId: string) =>
        Effect.suspend(() => {
          heard += 1
          known.forget(userId)
          return Cache.invalidate(asked, userId)
        })

      const forgetProject = (projectId: string) =>
        Effect.suspend(() => {
          heard += 1
          generation += 1
          known.forgetAll((_) => _.credential.project_id === projectId)
          return Cache.invalidateAll(asked)
        })

      const forgetAll = Effect.suspend(() => {
        heard += 1
        generation += 1
        known.forgetAll()
        return Cache.invalidateAll(asked)
      })

      const hear = Effect.gen(function* () {
        const changes = yield* credentials.changes
        yield* forgetAll
        hearing = true
        yield* Stream.runForEach(changes, (change) => {
          const projectId = projectMeant(change)
          return projectId === undefined ? forget(change) : forgetProject(projectId)
        })
      }).pipe(
        Effect.scoped,
        Effect.ensuring(
          Effect.sync(() => {
            hearing = false
          })
        ),
        Effect.catchCause((cause) => Effect.logWarning("changes of credentials are not heard of", cause)),
        Effect.repeat(Schedule.spaced("1 second"))
      )
      yield* Effect.forkScoped(hear)

      return Records.of({
        get: (userId) => {
          if (!hearing) return lookup(userId)
          const record = known.get(userId, clock.currentTimeMillisUnsafe())
          return record === undefined ? Cache.get(asked, userId) : Effect.succeed(record)
        },
        forget,
        forgetMaker: (row) => Effect.andThen(forget(row.user_id), forgetProject(row.project_id)),
        forgetProject,
        generation: () => (hearing ? generation : undefined)
      })
    })
  )
}
