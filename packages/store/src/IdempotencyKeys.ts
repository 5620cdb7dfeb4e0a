import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { leasedOf } from "./leased.ts"
import { moment, momentsOf, rowsOf, run, some } from "./rows.ts"

/** The response to a call, without its secrets. */
export const KeptAnswer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  /** The exact JSON text; null for a response without a body. */
  body: Schema.NullOr(Schema.String),
  /** The fields that are null because they held a secret. */
  redacted: Schema.Array(Schema.String)
})
export type KeptAnswer = typeof KeptAnswer.Type

const callFields = {
  /** Identifies the caller, the operation and the client's key. */
  entry: Schema.String,
  /** Fingerprint of the request. */
  fingerprint: Schema.String,
  /** The caller's tier when the call ran. */
  tier: Schema.Int,
  role: Schema.NullOr(Schema.String)
}

/** A call with an idempotency key. */
export const KeyedCall = Schema.Struct(callFields)
export type KeyedCall = typeof KeyedCall.Type

export const IdempotencyRow = Schema.Struct({
  ...callFields,
  /** Null once the call is answered. */
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment),
  status: Schema.NullOr(KeptAnswer.fields.status),
  headers: Schema.NullOr(KeptAnswer.fields.headers),
  body: KeptAnswer.fields.body,
  redacted: Schema.NullOr(KeptAnswer.fields.redacted),
  expires_at: moment
})
export type IdempotencyRow = typeof IdempotencyRow.Type

/** The right to run a call, as long as the lease is renewed. */
export interface Claimed {
  readonly entry: string
  readonly lease: string
}

export type Claim = { readonly kind: "mine"; readonly claimed: Claimed } | Held

/** A key that cannot be claimed. */
export type Held =
  /** The key belongs to another request. */
  | { readonly kind: "other" }
  /** Another process or fiber is running the call. */
  | { readonly kind: "busy" }
  | {
      readonly kind: "answered"
      readonly answer: KeptAnswer
      readonly tier: number
      readonly role: string | null
    }

/** A key stays locked for this long after its process dies during the call. */
export const keyLease = Duration.minutes(1)

/** The most expired keys that one prune deletes. */
export const pruneLimit = 1000

/**
 * Calls with an idempotency key. Each runs once, across all replicas, whether
 * or not its response reached the client.
 */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /**
     * Claims the call for {@link keyLease}, or returns its current state. A
     * holder that does not renew in time loses the call to the next request
     * with the same fingerprint.
     *
     * @param kept how long the key belongs to this request
     */
    claim(call: KeyedCall, kept: Duration.Duration): Effect.Effect<Claim>
    /** Why the call could not be claimed; undefined when it could. Nothing is changed. */
    find(call: KeyedCall): Effect.Effect<Held | undefined>
    /** False when another caller has claimed it. */
    renew(claimed: Claimed): Effect.Effect<boolean>
    /** Stores the response, which every retry gets from now on. False when another caller has claimed the call. */
    answer(claimed: Claimed, answer: KeptAnswer): Effect.Effect<boolean>
    /** Deletes the key after a call that changed nothing: the client can repeat it, or use the key for another call. */
    release(claimed: Claimed): Effect.Effect<void>
    /** Deletes expired keys. Returns how many. */
    readonly prune: Effect.Effect<number>
  }
>()("portico/store/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    IdempotencyKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { first, rows } = rowsOf(IdempotencyRow)
      const { after, now } = momentsOf(sql)
      const { own, renewed } = leasedOf(sql, { table: "idempotency_keys", key: "entry", time: keyLease })

      /** Whether a row can be taken over, for this call. */
      const claimable = ({ fingerprint }: Pick<KeyedCall, "fingerprint">) => sql`(
        (held.expires_at <= ${now} AND (held.lease IS NULL OR held.lease_ends <= ${now}))
        OR (held.lease_ends IS NOT NULL AND held.lease_ends <= ${now} AND held.fingerprint = ${fingerprint}))`

      const take = ({ entry, fingerprint, role, tier }: KeyedCall, lease: string, kept: Duration.Duration) =>
        rows(sql`
          INSERT INTO idempotency_keys AS held (entry, fingerprint, tier, role, lease, lease_ends, expires_at)
          VALUES (${entry}, ${fingerprint}, ${tier}, ${role}, ${lease}, ${after(keyLease)}, ${after(kept)})
          ON CONFLICT (entry) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, tier = EXCLUDED.tier,
            role = EXCLUDED.role, lease = EXCLUDED.lease, lease_ends = EXCLUDED.lease_ends,
            expires_at = EXCLUDED.expires_at, status = NULL, headers = NULL, body = NULL, redacted = NULL
          WHERE ${claimable({ fingerprint })}
          RETURNING *`)

      const claim: IdempotencyKeys["Service"]["claim"] = Effect.fnUntraced(function* (call, kept) {
        const lease = randomUUID()
        if ((yield* take(call, lease, kept)).length > 0) return mine(call, lease)
        const held = yield* first(sql`SELECT * FROM idempotency_keys WHERE entry = ${call.entry}`)
        // The key was released between the two statements.
        return held === undefined ? yield* claim(call, kept) : heldOf(call, held)
      })

      return IdempotencyKeys.of({
        claim,
        find: (call) =>
          Effect.map(
            first(sql`
              SELECT * FROM idempotency_keys AS held WHERE entry = ${call.entry} AND NOT ${claimable(call)}`),
            (held) => held && heldOf(call, held)
          ),
        renew: (claimed) => some(sql`UPDATE idempotency_keys SET ${renewed} WHERE ${own(claimed)} RETURNING *`),
        answer: (claimed, { body, headers, redacted, status }) =>
          some(sql`
              UPDATE idempotency_keys SET lease = NULL, lease_ends = NULL, status = ${status},
                headers = ${json(headers)}, body = ${body}, redacted = ${json(redacted)}
              WHERE ${own(claimed)} RETURNING *`),
        release: (claimed) => run(sql`DELETE FROM idempotency_keys WHERE ${own(claimed)}`),
        prune: Effect.map(
          Effect.orDie(sql`
            DELETE FROM idempotency_keys WHERE entry IN (
              SELECT entry FROM idempotency_keys
              WHERE expires_at <= ${now} AND (lease IS NULL OR lease_ends <= ${now})
              ORDER BY expires_at LIMIT ${pruneLimit})
            RETURNING entry`),
          (_) => _.length
        )
      })
    })
  )
}

export const mine = ({ entry }: KeyedCall, lease: string): Claim => ({ kind: "mine", claimed: { entry, lease } })

/** The state of a key for a caller that could not claim it. */
export const heldOf = ({ fingerprint }: KeyedCall, held: IdempotencyRow): Held => {
  const { body, headers, redacted, role, status, tier } = held
  if (held.fingerprint !== fingerprint) return { kind: "other" }
  return status === null || headers === null || redacted === null
    ? { kind: "busy" }
    : { kind: "answered", answer: { status, headers, body, redacted }, tier, role }
}
