import { type ConsoleSessionRow, ConsoleSessions } from "@portico/store/ConsoleSessions"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { sealWith } from "../seal.ts"

/** The tokens of a session. Without a refresh token it ends with its access token. */
export interface SessionTokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | undefined
}

const Stored = Schema.fromJsonString(Schema.Struct({ access: Schema.String, refresh: Schema.NullOr(Schema.String) }))
const decode = Schema.decodeUnknownOption(Stored)
const encode = Schema.encodeSync(Stored)

type Sealed = Pick<ConsoleSessionRow, "session_hash" | "sealed">

/** Seals and opens the tokens of the console's sessions. The store holds them sealed, each bound to its session. */
export class SessionSeal extends Context.Service<
  SessionSeal,
  {
    close(sessionHash: string, tokens: SessionTokens): string
    /** Undefined when no accepted key opens them, or they are forgotten. */
    open(row: Sealed): SessionTokens | undefined
    /** Seals what another accepted key has sealed under the first one. Returns how many sessions that were. */
    readonly reseal: Effect.Effect<number>
  }
>()("portico/domain/console/SessionSeal") {
  static readonly layer = Layer.effect(
    SessionSeal,
    Effect.gen(function* () {
      const store = yield* ConsoleSessions
      const seal = sealWith(yield* tenantKeys, "portico/console-tokens")

      const resealOne = (row: Sealed) => {
        const renewed = seal.renew(row.session_hash, row.sealed)
        // A row that has changed since was renewed, under a key that its process seals with.
        return renewed === undefined ? Effect.succeed(false) : store.reseal(row, renewed)
      }

      return SessionSeal.of({
        close: (sessionHash, { accessToken, refreshToken }) =>
          seal.close(
            sessionHash,
            Buffer.from(
              encode({
                access: Redacted.value(accessToken),
                refresh: refreshToken === undefined ? null : Redacted.value(refreshToken)
              }),
              "utf8"
            )
          ),
        open: ({ sealed, session_hash }) => {
          const found = Option.getOrUndefined(decode(seal.open(session_hash, sealed)?.toString("utf8")))
          return (
            found && {
              accessToken: Redacted.make(found.access),
              refreshToken: found.refresh === null ? undefined : Redacted.make(found.refresh)
            }
          )
        },
        reseal: Effect.gen(function* () {
          let count = 0
          for (let rows = yield* store.page(""); ; rows = yield* store.page(rows.at(-1)?.session_hash ?? "")) {
            if (rows.length === 0) return count
            count += (yield* Effect.forEach(rows, resealOne)).filter(Boolean).length
          }
        })
      })
    })
  )
}
