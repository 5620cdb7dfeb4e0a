import { Clock, Duration, Effect, Option, Schema } from "effect"

const Claims = Schema.fromJsonString(Schema.Struct({ exp: Schema.Finite }))
const decode = Schema.decodeUnknownOption(Claims)

/** After this long a client asks again: a token that tells no end may have been renewed or revoked. */
const askAgain = Duration.minutes(10)

/** Until when a client may keep a token, in milliseconds: its end, where it says so itself. */
export const keepUntil = Effect.fnUntraced(function* (token: string) {
  const [, payload = "", signature] = token.split(".")
  const claims = signature === undefined ? Option.none() : decode(Buffer.from(payload, "base64url").toString())
  const now = yield* Clock.currentTimeMillis
  return Option.match(claims, { onNone: () => now + Duration.toMillis(askAgain), onSome: ({ exp }) => exp * 1000 })
})
