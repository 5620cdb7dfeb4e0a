import { Clock, Effect } from "effect"
import { Session } from "../../Session.ts"
import { lasting } from "../operator/words.ts"
import { failed, findingOf, type Finding, ok, warning } from "./Check.ts"

/** When a JSON Web Token ends; other tokens do not say. */
const endOf = (token: string): number | undefined => {
  const [, payload, signature] = token.split(".")
  if (payload === undefined || signature === undefined) return undefined
  const [, seconds] = /"exp":\s*(\d+)/.exec(Buffer.from(payload, "base64url").toString()) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const sourceOf = Effect.gen(function* () {
  const session = yield* Session
  const variable = yield* session.variable
  if (variable === "PORTICO_TOKEN") return variable
  if (variable !== undefined) return "PORTICO_CLIENT_ID and PORTICO_CLIENT_SECRET"
  const profile = yield* session.profile
  return profile === undefined ? "nowhere" : `the profile '${profile.name}' (${profile.method})`
})

/** Whether there is a token, where it is from, and how long it lasts. The token itself stays unsaid. */
export const token: Effect.Effect<Finding, never, Session> = Effect.gen(function* () {
  const session = yield* Session
  const source = yield* sourceOf
  const value = yield* session.token
  const end = endOf(value)
  if (end === undefined) return ok(`From ${source}; it does not say when it ends`)
  const rest = end - (yield* Clock.currentTimeMillis)
  if (rest <= 0) {
    const fix = source === "PORTICO_TOKEN" ? "Set PORTICO_TOKEN to a new one" : "Log in again with 'portico login'"
    return failed(`From ${source}; it ended ${lasting(-rest)} ago`, fix, "notSignedIn")
  }
  const words = `From ${source}; it ends in ${lasting(rest)}`
  return rest < 60_000 && source === "PORTICO_TOKEN" ? warning(words, "Set PORTICO_TOKEN to a new one") : ok(words)
}).pipe(Effect.catch((error) => Effect.succeed(findingOf(error))))
