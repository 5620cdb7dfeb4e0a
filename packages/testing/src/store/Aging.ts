import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

/** Simulates the passing of time for a story: leases end, pauses pass, credentials expire. */
export class Aging extends Context.Service<Aging, { pass(duration: Duration.Input): Effect.Effect<void> }>()(
  "portico/testing/store/Aging"
) {
  /** The database server's clock cannot be advanced, so all times in the rows are moved back. */
  static readonly layer = Layer.effect(
    Aging,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Aging.of({
        pass: Effect.fnUntraced(function* (duration) {
          const passed = sql`${Duration.toSeconds(duration)} * interval '1 second'`
          yield* sql`UPDATE onboardings SET started_at = started_at - ${passed}, lease_ends = lease_ends - ${passed}`
          yield* sql`UPDATE tier_changes SET at = at - ${passed}`
          yield* sql`UPDATE tenants SET created_at = created_at - ${passed}, change_ends = change_ends - ${passed}`
          yield* sql`
            UPDATE accounts SET created_at = created_at - ${passed}, closed_at = closed_at - ${passed},
              closes_at = closes_at - ${passed}, refused_at = refused_at - ${passed},
              destroyed_at = destroyed_at - ${passed}, due_at = due_at - ${passed}, lease_ends = lease_ends - ${passed}`
          yield* sql`UPDATE purges SET started_at = started_at - ${passed}, lease_ends = lease_ends - ${passed}`
          yield* sql`UPDATE edge_exposures SET created_at = created_at - ${passed}, due_at = due_at - ${passed}`
          yield* sql`
            UPDATE edge_claims SET claimed_at = claimed_at - ${passed}, held_until = held_until - ${passed},
              verified_at = verified_at - ${passed}, released_at = released_at - ${passed}`
          yield* sql`
            UPDATE autoscaling_groups SET created_at = created_at - ${passed}, due_at = due_at - ${passed},
              cooldown_until = cooldown_until - ${passed}, lease_ends = lease_ends - ${passed}`
          yield* sql`
            UPDATE targets SET created_at = created_at - ${passed}, due_at = due_at - ${passed},
              rests_until = rests_until - ${passed}, lease_ends = lease_ends - ${passed}`
          yield* sql`
            UPDATE deliveries SET created_at = created_at - ${passed}, finished_at = finished_at - ${passed}`
          yield* sql`
            UPDATE idempotency_keys SET lease_ends = lease_ends - ${passed}, expires_at = expires_at - ${passed}`
          yield* sql`
            UPDATE agent_calls SET lease_ends = lease_ends - ${passed}, overdue_since = overdue_since - ${passed}`
          yield* sql`
              UPDATE agent_plans SET taken_at = taken_at - ${passed}, expires_at = expires_at - ${passed}`
          yield* sql`
            UPDATE console_sessions SET access_ends = access_ends - ${passed}, renewed_at = renewed_at - ${passed},
              expires_at = expires_at - ${passed}, lease_ends = lease_ends - ${passed},
              ended_at = ended_at - ${passed}, due_at = due_at - ${passed}`
          yield* sql`UPDATE alarms SET due_at = due_at - ${passed}, lease_ends = lease_ends - ${passed}`
          yield* sql`UPDATE relays SET lease_ends = lease_ends - ${passed}`
          yield* sql`UPDATE leases SET lease_ends = lease_ends - ${passed}`
          yield* sql`UPDATE organisation_units SET created_at = created_at - ${passed}`
          yield* sql`UPDATE policies SET created_at = created_at - ${passed}, updated_at = updated_at - ${passed}`
          yield* sql`UPDATE signups SET created_at = created_at - ${passed}, decided_at = decided_at - ${passed}`
          yield* sql`UPDATE signup_requests SET at = at - ${passed}`
          yield* sql`UPDATE invitation_mails SET at = at - ${passed}`
          yield* sql`UPDATE event_mails SET at = at - ${passed}`
          yield* sql`UPDATE events SET at = at - ${passed}`
          yield* sql`UPDATE agent_areas SET changed_at = changed_at - ${passed}`
          yield* sql`
            UPDATE workload_issuers SET created_at = created_at - ${passed}, changed_at = changed_at - ${passed}`
          yield* sql`UPDATE workload_tokens SET issued_at = issued_at - ${passed}, expires_at = expires_at - ${passed}`
          yield* sql`
            UPDATE credentials SET created_at = created_at - ${passed}, expires_at = expires_at - ${passed},
              revoked_at = revoked_at - ${passed}, mint_ends = mint_ends - ${passed},
              last_used_at = last_used_at - ${passed}, idle_since = idle_since - ${passed},
              revokes_at = revokes_at - ${passed}, retire_ends = retire_ends - ${passed},
              deactivate_at = deactivate_at - ${passed}`
          yield* sql`
            UPDATE agent_settings SET updated_at = updated_at - ${passed}, ended_at = ended_at - ${passed}`
        }, Effect.orDie)
      })
    })
  )

  static readonly layerMemory = Layer.succeed(Aging, Aging.of({ pass: TestClock.adjust }))
}

export const pass = (duration: Duration.Input) => Effect.flatMap(Aging, (aging) => aging.pass(duration))

/** The server's clock advances during a story, so a story checks nothing closer than this to the end of a lease. */
export const margin = Duration.seconds(30)
