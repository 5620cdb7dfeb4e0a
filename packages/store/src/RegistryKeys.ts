import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { advisoryLock, moment, rowsOf, run } from "./rows.ts"

/** A public key as a key set shows it (RFC 7517). */
export const PublicKey = Schema.Struct({
  kty: Schema.Literal("RSA"),
  n: Schema.String,
  e: Schema.String,
  kid: Schema.String,
  alg: Schema.Literal("RS256"),
  use: Schema.Literal("sig"),
  /** Absent from keys that were made before there were certificates. */
  x5c: Schema.optionalKey(Schema.Array(Schema.String))
})

export const RegistryKey = Schema.Struct({
  kid: Schema.String,
  public_key: PublicKey,
  /** The private key, encrypted by the caller. */
  sealed: Schema.String,
  created_at: moment,
  /** When it starts to sign. It signs until a later key starts. */
  signs_from: moment
})
export type RegistryKey = typeof RegistryKey.Type

export type NewRegistryKey = Pick<RegistryKey, "kid" | "public_key" | "sealed" | "signs_from">

/** The signing keys of the container registry's tokens. */
export class RegistryKeys extends Context.Service<
  RegistryKeys,
  {
    /** In the order in which they sign. */
    readonly list: Effect.Effect<ReadonlyArray<RegistryKey>>
    /**
     * Adds a key after the last one, or the first key. False when `last` is no
     * longer the last key: of several replicas that rotate in parallel, one
     * succeeds.
     */
    add(key: NewRegistryKey, last: string | undefined): Effect.Effect<boolean>
    /** Replaces the encrypted private key. Nothing happens when the key has been removed. */
    reseal(kid: string, sealed: string): Effect.Effect<void>
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
                Effect.andThen(sql`SELECT ${advisoryLock(sql, "portico/registry-keys")}`, insert(key, last))
              )
            ),
            (_) => _.length > 0
          ),
        reseal: (kid, sealed) => run(sql`UPDATE registry_keys SET sealed = ${sealed} WHERE kid = ${kid}`),
        remove: (kids) =>
          kids.length === 0 ? Effect.void : run(sql`DELETE FROM registry_keys WHERE ${sql.in("kid", kids)}`)
      })
    })
  )
}
