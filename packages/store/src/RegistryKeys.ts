import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Memory } from "./Memory.ts"
import { moment, rowsOf, run } from "./rows.ts"

/** A public key as a key set shows it (RFC 7517). */
export const PublicKey = Schema.Struct({
  kty: Schema.Literal("RSA"),
  n: Schema.String,
  e: Schema.String,
  kid: Schema.String,
  alg: Schema.Literal("RS256"),
  use: Schema.Literal("sig")
})

export const RegistryKey = Schema.Struct({
  kid: Schema.String,
  public_key: PublicKey,
  /** The private key, encrypted; how is the affair of whoever made it. */
  sealed: Schema.String,
  created_at: moment,
  /** From when on it signs, until a later key does. */
  signs_from: moment
})
export type RegistryKey = typeof RegistryKey.Type

export type NewRegistryKey = Pick<RegistryKey, "kid" | "public_key" | "sealed" | "signs_from">

/** The keys that tokens for the container registry are signed with. */
export class RegistryKeys extends Context.Service<
  RegistryKeys,
  {
    /** In the order in which they sign. */
    readonly list: Effect.Effect<ReadonlyArray<RegistryKey>>
    /**
     * Adds a key behind the one that signs last, or the first one. False when
     * that is another one by now: of several replicas that do the same, one
     * does.
     */
    add(key: NewRegistryKey, last: string | undefined): Effect.Effect<boolean>
    /** Repeatable. */
    remove(kids: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("portico/store/RegistryKeys") {
  static readonly layer = Layer.effect(
    RegistryKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { rows } = rowsOf(RegistryKey)

      const insert = (key: NewRegistryKey, last: string | undefined) =>
        rows(sql`
          INSERT INTO registry_keys (kid, public_key, sealed, signs_from)
          SELECT ${key.kid}, ${json(key.public_key)}, ${key.sealed}, ${DateTime.toDateUtc(key.signs_from)}
          WHERE (SELECT kid FROM registry_keys ORDER BY signs_from DESC, kid DESC LIMIT 1)
            IS NOT DISTINCT FROM ${last ?? null}::text
          RETURNING *`)

      return RegistryKeys.of({
        list: rows(sql`SELECT * FROM registry_keys ORDER BY signs_from, kid`),
        add: (key, last) =>
          Effect.map(
            Effect.orDie(
              sql.withTransaction(
                Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtext('portico/registry-keys'))`, insert(key, last))
              )
            ),
            (_) => _.length > 0
          ),
        remove: (kids) =>
          kids.length === 0 ? Effect.void : run(sql`DELETE FROM registry_keys WHERE ${sql.in("kid", kids)}`)
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    RegistryKeys,
    Effect.map(Memory, ({ registryKeys: keys }) => {
      const ordered = () =>
        [...keys.values()].toSorted(
          (a, b) =>
            DateTime.toEpochMillis(a.signs_from) - DateTime.toEpochMillis(b.signs_from) || (a.kid < b.kid ? -1 : 1)
        )
      return RegistryKeys.of({
        list: Effect.sync(ordered),
        add: (key, last) =>
          Effect.map(DateTime.now, (created_at) => {
            if (ordered().at(-1)?.kid !== last) return false
            keys.set(key.kid, { ...key, created_at })
            return true
          }),
        remove: (kids) =>
          Effect.sync(() => {
            for (const kid of kids) keys.delete(kid)
          })
      })
    })
  )
}
