import { Effect } from "effect"
import { Command } from "../effectCli.ts"
import { Output } from "../output/Output.ts"
import { portico, Session } from "../Session.ts"
import { readTokens } from "../session/tokens.ts"
import { dataOf, wordsOf } from "../session/words.ts"

/** The environment comes before the profile in use. */
const words = {
  PORTICO_TOKEN: "by the token in PORTICO_TOKEN",
  PORTICO_CLIENT_ID: "by the key pair in PORTICO_CLIENT_ID"
} as const

export const whoami = Command.make(
  "whoami",
  {},
  Effect.fnUntraced(function* () {
    const { url, use } = yield* portico
    const { show } = yield* Output
    const session = yield* Session
    const variable = yield* session.variable
    const by = variable === undefined ? undefined : words[variable]
    const found = yield* session.profile
    const who = yield* use((_, signal) => _.identity.whoami({}, { signal }))
    const profile = by === undefined ? found : undefined
    // After the call, which may have renewed them.
    const tokens = profile === undefined ? undefined : yield* Effect.orElseSucceed(readTokens(profile), () => undefined)
    const about = { url, profile, by, expiresAt: tokens?.expires_at }
    yield* show({ ...who, login: dataOf(about) }, { text: () => wordsOf({ ...about, who }) })
  })
).pipe(
  Command.withShortDescription("Show who is signed in, and what the credential may do"),
  Command.withDescription("Shows the user, the tenant, the tier and the roles behind the credential."),
  Command.withExamples([{ command: "portico whoami", description: "Show the user, the tenant and the tier" }])
)
