import { PgClient } from "@effect/sql-pg"
import { Clock, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { leasedOf } from "./leased.ts"
import { Memory } from "./Memory.ts"
import { moment, momentsOf, rowsOf, run, some } from "./rows.ts"

/** What a call was answered, without its secrets. */
export const KeptAnswer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  /** JSON, letter by letter; null for an answer without a body. */
  body: Schema.NullOr(Schema.String),
  /** The fields that are null because a secret was there. */
  redacted: Schema.Array(Schema.String)
})
export type KeptAnswer = typeof KeptAnswer.Type

const asked = {
  /** Who calls, what, and under which key. */
  entry: Schema.String,
  /** What was sent with it. */
  fingerprint: Schema.String,
  /** The caller's, when the call was carried out. */
  tier: Schema.Int,
  role: Schema.NullOr(Schema.String)
}

/** A call under a key. */
export const KeyedCall = Schema.Struct(asked)
export type KeyedCall = typeof KeyedCall.Type

export const IdempotencyRow = Schema.Struct({
  ...asked,
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

/** The right to carry out a call, as long as the lease is renewed. */
export interface Claimed {
  readonly entry: string
  readonly lease: string
}

export type Claim =
  | { readonly kind: "mine"; readonly claimed: Claimed }
  /** The key stands for another request. */
  | { readonly kind: "other" }
  /** Somebody is carrying it out. */
  | { readonly kind: "busy" }
  | {
      readonly kind: "answered"
      readonly answer: KeptAnswer
      readonly tier: number
      readonly role: string | null
    }

/** A process that dies in the middle of a call keeps its key for so long. */
export const keyLease = Duration.minutes(1)

/** So many keys that are over are forgotten in one go. */
const pruneLimit = 1000

/**
 * Calls that clients have given a key, so that each is carried out once: over
 * all replicas, and whether or not its answer arrived.
 */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /**
     * Takes the call for {@link keyLease}, or tells what there is of it.
     * Whoever has taken it and shows no sign of life any more loses it to the
     * next one with the same request.
     *
     * @param kept how long the key stands for this request
     */
    claim(call: KeyedCall, kept: Duration.Duration): Effect.Effect<Claim>
    /** False when it has passed to somebody else. */
    renew(claimed: Claimed): Effect.Effect<boolean>
    /** The call is over, and this is repeated from now on. False when it has passed to somebody else. */
    answer(claimed: Claimed, answer: KeptAnswer): Effect.Effect<boolean>
    /** The call has changed nothing: it can be made again, or another one under the same key. */
    release(claimed: Claimed): Effect.Effect<void>
    /** Forgets keys whose time is over. Returns how many. */
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

      const take = ({ entry, fingerprint, role, tier }: KeyedCall, lease: string, kept: Duration.Duration) =>
        rows(sql`
          INSERT INTO idempotency_keys AS held (entry, fingerprint, tier, role, lease, lease_ends, expires_at)
          VALUES (${entry}, ${fingerprint}, ${tier}, ${role}, ${lease}, ${after(keyLease)}, ${after(kept)})
          ON CONFLICT (entry) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, tier = EXCLUDED.tier,
            role = EXCLUDED.role, lease = EXCLUDED.lease, lease_ends = EXCLUDED.lease_ends,
            expires_at = EXCLUDED.expires_at, status = NULL, headers = NULL, body = NULL, redacted = NULL
          WHERE (held.expires_at <= ${now} AND (held.lease IS NULL OR held.lease_ends <= ${now}))
            OR (held.lease_ends <= ${now} AND held.fingerprint = EXCLUDED.fingerprint)
          RETURNING *`)

      const claim: IdempotencyKeys["Service"]["claim"] = Effect.fnUntraced(function* (call, kept) {
        const lease = randomUUID()
        if ((yield* take(call, lease, kept)).length > 0) return mine(call, lease)
        const held = yield* first(sql`SELECT * FROM idempotency_keys WHERE entry = ${call.entry}`)
        // It was released between the two.
        return held === undefined ? yield* claim(call, kept) : claimOf(call, held)
      })

      return IdempotencyKeys.of({
        claim,
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

  static readonly layerMemory = Layer.effect(
    IdempotencyKeys,
    Effect.map(Memory, ({ idempotencyKeys: keys }) => {
      const isOver = ({ expires_at, lease, lease_ends }: IdempotencyRow, now: number) =>
        DateTime.toEpochMillis(expires_at) <= now && (lease === null || hasEnded(lease_ends, now))
      const owned = ({ entry, lease }: Claimed) => {
        const held = keys.get(entry)
        return held?.lease === lease ? held : undefined
      }
      const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)
      const changed = (claimed: Claimed, to: Partial<IdempotencyRow>): boolean => {
        const held = owned(claimed)
        if (held !== undefined) keys.set(held.entry, { ...held, ...to })
        return held !== undefined
      }
      const leaseFrom = (now: number) => DateTime.makeUnsafe(now + Duration.toMillis(keyLease))

      return IdempotencyKeys.of({
        claim: (call, kept) =>
          withNow((now) => {
            const held = keys.get(call.entry)
            const free =
              held === undefined ||
              isOver(held, now) ||
              (hasEnded(held.lease_ends, now) && held.fingerprint === call.fingerprint)
            if (!free) return claimOf(call, held)
            const lease = randomUUID()
            keys.set(call.entry, {
              ...call,
              lease,
              lease_ends: leaseFrom(now),
              status: null,
              headers: null,
              body: null,
              redacted: null,
              expires_at: DateTime.makeUnsafe(now + Duration.toMillis(kept))
            })
            return mine(call, lease)
          }),
        renew: (claimed) => withNow((now) => changed(claimed, { lease_ends: leaseFrom(now) })),
        answer: (claimed, answer) => Effect.sync(() => changed(claimed, { ...answer, lease: null, lease_ends: null })),
        release: (claimed) =>
          Effect.sync(() => {
            if (owned(claimed) !== undefined) keys.delete(claimed.entry)
          }),
        prune: withNow((now) => {
          const over = [...keys.values()].filter((_) => isOver(_, now)).slice(0, pruneLimit)
          for (const { entry } of over) keys.delete(entry)
          return over.length
        })
      })
    })
  )
}

const mine = ({ entry }: KeyedCall, lease: string): Claim => ({ kind: "mine", claimed: { entry, lease } })

/** What a row tells whoever could not take it. */
const claimOf = ({ fingerprint }: KeyedCall, held: IdempotencyRow): Claim => {
  const { body, headers, redacted, role, status, tier } = held
  if (held.fingerprint !== fingerprint) return { kind: "other" }
  return status === null || headers === null || redacted === null
    ? { kind: "busy" }
    : { kind: "answered", answer: { status, headers, body, redacted }, tier, role }
}

const hasEnded = (lease: DateTime.Utc | null, now: number): boolean =>
  lease !== null && DateTime.toEpochMillis(lease) <= now
