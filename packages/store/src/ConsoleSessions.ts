import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { notifying } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { lockedIn, moment, momentsOf, rowsOf, run, some } from "./rows.ts"

/** The planes that have a console. */
export const ConsolePlane = Schema.Literals(["customer", "operator"])
export type ConsolePlane = typeof ConsolePlane.Type

export const ConsoleSessionRow = Schema.Struct({
  /** SHA-256 of the cookie, base64url. */
  session_hash: Schema.String,
  plane: ConsolePlane,
  /** The user id at the identity provider. */
  person: Schema.String,
  /** The session's tokens; empty once nothing is left to revoke. */
  sealed: Schema.String,
  /** SHA-256 of the last access token that a page was given, base64url, and when that ends. */
  access_hash: Schema.String,
  access_ends: moment,
  /** The hash of the access token before it, which other windows may hold for a moment; null before the first renewal. */
  former_hash: Schema.NullOr(Schema.String),
  renewed_at: moment,
  /** When the row is of no use any more. */
  expires_at: moment,
  /** Drawn by whoever renews or revokes. One that has run out is a call whose outcome is unknown. */
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment),
  /** When it was ended. It stays so. */
  ended_at: Schema.NullOr(moment),
  /** When its tokens are to be revoked; null while it is in use, and afterwards. */
  due_at: Schema.NullOr(moment),
  /** Failed revocations in a row. */
  failures: Schema.Int
})
export type ConsoleSessionRow = typeof ConsoleSessionRow.Type

/** The tokens of a login or of a renewal, as they are stored. */
export interface StoredTokens {
  readonly sealed: string
  readonly access_hash: string
  readonly access_ends: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** Longer than a renewal or a revocation takes with all its waits: the queue and the provider get 10 seconds each. */
export const sessionLease = Duration.seconds(30)

/** The most rows that one claim takes, that one page has, and that one prune deletes. */
export const claimed = 20
export const pageLimit = 500
export const pruneLimit = 1000

/**
 * The sessions of one person: so many are in use, on both planes together, and so many are stored. An ended session is
 * stored for as long as its access token could be used.
 */
export const ofPerson = { inUse: 50, stored: 100 }

/** The payload prefix of {@link endedMessage}. A user id contains no blank. */
const endedPrefix = "ended session "

/** The access tokens that pages were given of a session that has ended since. Both have ended at `access_ends`. */
export type EndedTokens = Pick<ConsoleSessionRow, "access_hash" | "access_ends" | "former_hash">

/**
 * What every process is told of an ended session, on the channel of credentials: the end of its access tokens in
 * milliseconds since the epoch, and their hashes.
 */
export const endedMessage = ({ access_ends, access_hash, former_hash }: EndedTokens): string =>
  `${endedPrefix}${DateTime.toEpochMillis(access_ends)} ${access_hash} ${former_hash ?? ""}`

/** The access tokens of such a message; undefined for every other one. */
export const endedTokensIn = (message: string): EndedTokens | undefined => {
  if (!message.startsWith(endedPrefix)) return undefined
  const [ends, access_hash = "", former] = message.slice(endedPrefix.length).split(" ")
  return { access_hash, former_hash: former || null, access_ends: DateTime.makeUnsafe(Number(ends)) }
}

/** A row that is worked on, by its lease. */
type Held = Pick<ConsoleSessionRow, "session_hash" | "lease">

/**
 * Sessions of people in a console. One process at a time renews or revokes the tokens of one, under a lease; its end
 * waits for neither.
 */
export class ConsoleSessions extends Context.Service<
  ConsoleSessions,
  {
    /** Undefined when the person has as many as are stored, see {@link ofPerson}. Serialised across all replicas. */
    insert(
      session: StoredTokens & Pick<ConsoleSessionRow, "session_hash" | "plane" | "person">
    ): Effect.Effect<ConsoleSessionRow | undefined>
    /** The sessions that a person has beyond those in use at most: the ones that were renewed least recently. */
    surplus(person: string): Effect.Effect<ReadonlyArray<Pick<ConsoleSessionRow, "session_hash" | "plane">>>
    /** A session of this plane, also an ended one, that has not expired; otherwise undefined. */
    find(plane: ConsolePlane, sessionHash: string): Effect.Effect<ConsoleSessionRow | undefined>
    /**
     * Takes the lease of a session in order to renew it. Undefined while another process has it, and when the session
     * was renewed or has ended since the row was read.
     */
    claim(row: Pick<ConsoleSessionRow, "session_hash" | "access_hash">): Effect.Effect<ConsoleSessionRow | undefined>
    /**
     * Stores the tokens of a renewal and gives the lease back. Of a session that was ended meanwhile they are kept for
     * the revocation alone. Undefined when the lease was lost.
     */
    renewed(held: Held, tokens: StoredTokens): Effect.Effect<ConsoleSessionRow | undefined>
    /** Lets another process try, after a renewal that may have taken effect: the lease has run out, and is not gone. */
    release(held: Held): Effect.Effect<void>
    /**
     * Ends a session that the provider does not renew; nothing is left to revoke. Every process is notified. Undefined
     * when the lease was lost.
     */
    refuse(held: Held): Effect.Effect<ConsoleSessionRow | undefined>
    /** Ends a session, whatever is under way. Every process is notified. Undefined when there is none, or it has ended. */
    end(plane: ConsolePlane, sessionHash: string): Effect.Effect<ConsoleSessionRow | undefined>
    /** Claims ended sessions whose tokens are to be revoked. Each goes to one replica. @param only this one, if it is due */
    claimEnded(only?: string): Effect.Effect<ReadonlyArray<ConsoleSessionRow>>
    /** The tokens are revoked and forgotten. The row stays until the access token would have ended. */
    revoked(held: Held): Effect.Effect<void>
    /** The revocation failed, and is tried again after the pause. */
    postpone(held: Held, pause: Duration.Duration): Effect.Effect<void>
    /** The access tokens of ended sessions that have not ended by themselves. */
    readonly endedTokens: Effect.Effect<ReadonlyArray<EndedTokens>>
    /** Whether a session with this access token was ended. */
    isEnded(tokenHash: string): Effect.Effect<boolean>
    /** The next {@link pageLimit} rows in the order of their hashes. */
    page(after: string): Effect.Effect<ReadonlyArray<Pick<ConsoleSessionRow, "session_hash" | "sealed">>>
    /** Replaces what was read. False when the row has changed since. */
    reseal(row: Pick<ConsoleSessionRow, "session_hash" | "sealed">, sealed: string): Effect.Effect<boolean>
    /** Deletes expired rows. Returns how many. */
    readonly prune: Effect.Effect<number>
  }
>()("portico/store/ConsoleSessions") {
  static readonly layer = Layer.effect(
    ConsoleSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { first, rows } = rowsOf(ConsoleSessionRow)
      const { access_ends, access_hash, former_hash, plane, sealed, session_hash } = ConsoleSessionRow.fields
      const ended = rowsOf(Schema.Struct({ access_hash, access_ends, former_hash }))
      const named = rowsOf(Schema.Struct({ session_hash, plane }))
      const exclusively = lockedIn(sql, "portico/console-sessions")
      const sealedRows = rowsOf(Schema.Struct({ session_hash, sealed }))
      const { now } = momentsOf(sql)
      const leases = leasedOf(sql, {
        table: "console_sessions",
        key: "session_hash",
        due: "due_at",
        time: sessionLease
      })
      const { isFree, own, released, taken } = leases

      const endedNow = sql`ended_at = COALESCE(ended_at, ${now})`
      /** Of a session of whose tokens none is left. */
      const forgotten = sql`sealed = '', expires_at = LEAST(expires_at, GREATEST(access_ends, ${now}))`
      const announced = (change: Statement.Fragment) =>
        first(
          notifying(
            sql,
            change,
            sql`${endedPrefix}::text || (extract(epoch FROM access_ends) * 1000)::bigint::text || ' ' || access_hash
              || ' ' || COALESCE(former_hash, '')`
          )
        )

      return ConsoleSessions.of({
        insert: ({ access_ends, access_hash, expires_at, person, plane, sealed, session_hash }) =>
          exclusively(
            person,
            first(sql`
              INSERT INTO console_sessions
                (session_hash, plane, person, sealed, access_hash, access_ends, renewed_at, expires_at)
              SELECT ${session_hash}, ${plane}, ${person}, ${sealed}, ${access_hash},
                ${DateTime.toDateUtc(access_ends)}::timestamptz, ${now}, ${DateTime.toDateUtc(expires_at)}::timestamptz
              WHERE (SELECT count(*) FROM console_sessions WHERE person = ${person} AND expires_at > ${now})
                < ${ofPerson.stored}
              RETURNING *`)
          ),
        surplus: (person) =>
          named.rows(sql`
            SELECT session_hash, plane FROM console_sessions
            WHERE person = ${person} AND ended_at IS NULL AND expires_at > ${now}
            ORDER BY renewed_at DESC, session_hash OFFSET ${ofPerson.inUse}`),
        find: (plane, sessionHash) =>
          first(sql`
            SELECT * FROM console_sessions
            WHERE session_hash = ${sessionHash} AND plane = ${plane} AND expires_at > ${now}`),
        claim: ({ access_hash, session_hash }) =>
          first(sql`
            UPDATE console_sessions SET ${taken}
            WHERE session_hash = ${session_hash} AND access_hash = ${access_hash} AND ended_at IS NULL
              AND expires_at > ${now} AND ${isFree}
            RETURNING *`),
        renewed: (held, { access_ends, access_hash, expires_at, sealed }) => {
          const unlessEnded = (
            column: "access_hash" | "former_hash" | "access_ends" | "renewed_at",
            value: Statement.Fragment
          ) => sql`${sql(column)} = CASE WHEN ended_at IS NULL THEN ${value} ELSE ${sql(column)} END`
          return first(sql`
            UPDATE console_sessions SET sealed = ${sealed}, lease = NULL, lease_ends = NULL,
              ${unlessEnded("former_hash", sql`access_hash`)},
              ${unlessEnded("access_hash", sql`${access_hash}`)},
              ${unlessEnded("access_ends", sql`${DateTime.toDateUtc(access_ends)}::timestamptz`)},
              ${unlessEnded("renewed_at", now)}, expires_at = ${DateTime.toDateUtc(expires_at)}
            WHERE ${own(held)} RETURNING *`)
        },
        release: (held) => run(sql`UPDATE console_sessions SET lease_ends = ${now} WHERE ${own(held)}`),
        refuse: (held) =>
          announced(sql`
            UPDATE console_sessions SET ${endedNow}, ${forgotten}, ${released(undefined)} WHERE ${own(held)}`),
        end: (plane, sessionHash) =>
          announced(sql`
            UPDATE console_sessions SET ${endedNow}, due_at = ${now}
            WHERE session_hash = ${sessionHash} AND plane = ${plane} AND ended_at IS NULL AND expires_at > ${now}`),
        claimEnded: (only) => {
          const wanted = only === undefined ? sql`true` : sql`session_hash = ${only}`
          return rows(sql`${leases.claim({ if: sql`expires_at > ${now} AND ${wanted}`, limit: claimed })} RETURNING *`)
        },
        revoked: (held) =>
          run(sql`UPDATE console_sessions SET ${forgotten}, ${released(undefined)} WHERE ${own(held)}`),
        postpone: (held, pause) =>
          run(sql`UPDATE console_sessions SET failures = failures + 1, ${released(pause)} WHERE ${own(held)}`),
        endedTokens: ended.rows(sql`
          SELECT access_hash, access_ends, former_hash FROM console_sessions
          WHERE ended_at IS NOT NULL AND access_ends > ${now}`),
        isEnded: (tokenHash) =>
          some(sql`
            SELECT FROM console_sessions WHERE access_hash = ${tokenHash} AND ended_at IS NOT NULL
            UNION ALL
            SELECT FROM console_sessions WHERE former_hash = ${tokenHash} AND ended_at IS NOT NULL`),
        page: (after) =>
          sealedRows.rows(sql`
            SELECT session_hash, sealed FROM console_sessions
            WHERE session_hash > ${after} ORDER BY session_hash LIMIT ${pageLimit}`),
        reseal: ({ sealed: before, session_hash }, sealed) =>
          some(sql`
            UPDATE console_sessions SET sealed = ${sealed}
            WHERE session_hash = ${session_hash} AND sealed = ${before} RETURNING session_hash`),
        prune: Effect.map(
          Effect.orDie(sql`
            DELETE FROM console_sessions WHERE session_hash IN (
              SELECT session_hash FROM console_sessions WHERE expires_at <= ${now} ORDER BY expires_at
              LIMIT ${pruneLimit})
            RETURNING session_hash`),
          (_) => _.length
        )
      })
    })
  )
}
