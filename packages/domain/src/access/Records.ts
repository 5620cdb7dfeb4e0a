import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Tenants } from "@portico/store/Tenants"
import { Cache, Context, Duration, Effect, Exit, Layer, Schedule, Stream } from "effect"

/** The backstop: changes are heard of at once (contract, Limits: store resolution cache at most 60 s). */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/** A credential or membership, with the name of its tenant. */
export interface AccessRecord {
  readonly credential: CredentialRow
  readonly tenantName: string
}

/**
 * Whom a user id acts for, out of our own store. Kept until the store says
 * that it changed, which every process hears; while it cannot hear, it keeps
 * nothing.
 */
export class Records extends Context.Service<
  Records,
  {
    /** Undefined for a user without a record. */
    get(userId: string): Effect.Effect<AccessRecord | undefined>
    /** This process changed the record and does not wait to hear of it. */
    forget(userId: string): Effect.Effect<void>
  }
>()("portico/domain/access/Records") {
  static readonly layer = Layer.effect(
    Records,
    Effect.gen(function* () {
      const credentials = yield* Credentials
      const tenants = yield* Tenants
      let hearing = false

      const lookup = Effect.fnUntraced(function* (userId: string) {
        const credential = yield* credentials.findByUser(userId)
        if (credential === undefined) return undefined
        const tenant = yield* tenants.find(credential.project_id)
        return { credential, tenantName: tenant?.name ?? "" } satisfies AccessRecord
      })

      const cache = yield* Cache.makeWith(lookup, {
        capacity,
        // A user without a record may get one at any moment, and nothing would tell.
        timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== undefined ? timeToLive : Duration.zero)
      })

      const hear = Effect.gen(function* () {
        const changes = yield* credentials.changes
        yield* Cache.invalidateAll(cache)
        hearing = true
        yield* Stream.runForEach(changes, (userId) => Cache.invalidate(cache, userId))
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
        get: (userId) => (hearing ? Cache.get(cache, userId) : lookup(userId)),
        forget: (userId) => Cache.invalidate(cache, userId)
      })
    })
  )
}
