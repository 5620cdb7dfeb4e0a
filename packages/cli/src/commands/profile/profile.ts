import { Effect, Option, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Argument, Command } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { Screen } from "../../Screen.ts"
import { Session } from "../../Session.ts"
import { logout } from "../../session/logout.ts"
import type { Profile } from "../../session/Profile.ts"
import { dropProfile, readProfiles, useProfile } from "../../session/profiles.ts"
import { readTokens } from "../../session/tokens.ts"

const name = Argument.String("name").pipe(Argument.withDescription("The name of a profile"))

const missing = (given: string) =>
  new CliFailure({
    exit: "notFound",
    message: `There is no profile '${given}'`,
    hint: "'portico profile list' shows those that there are"
  })

const found = Effect.fnUntraced(function* (given: string) {
  const { all } = yield* readProfiles
  return all.find((_) => _.name === given) ?? (yield* missing(given))
})

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const { rows } = yield* Output
    const { all, current } = yield* readProfiles
    const rowOf = ({ method, name, plane, url }: Profile) => ({ name, current: name === current, url, plane, method })
    yield* rows(Stream.fromIterable(all.map(rowOf)), {
      name: "name",
      empty: "No profiles. 'portico login <address>' makes one."
    })
  })
).pipe(
  Command.withAlias("ls"),
  Command.withShortDescription("List the profiles"),
  Command.withDescription("Lists the profiles, and which of them is in use."),
  Command.withExamples([{ command: "portico profile list", description: "List all profiles" }])
)

const use = Command.make(
  "use",
  { name },
  Effect.fnUntraced(function* ({ name }) {
    const { url } = yield* found(name)
    yield* useProfile(name)
    const { note } = yield* Screen
    yield* note(`The profile '${name}' (${url}) is in use from now on.`)
  })
).pipe(
  Command.withShortDescription("Work with another profile from now on"),
  Command.withDescription("Makes a profile the one that commands work with when nothing else is said."),
  Command.withExamples([{ command: "portico profile use 127.0.0.1-8080", description: "Back to the demo" }])
)

const show = Command.make(
  "show",
  { name: Argument.optional(name) },
  Effect.fnUntraced(function* ({ name }) {
    const { show } = yield* Output
    const profile = Option.isSome(name) ? yield* found(name.value) : yield* (yield* Session).profile
    if (profile === undefined) {
      return yield* new CliFailure({
        exit: "notFound",
        message: "No profile is in use",
        hint: "Log in with 'portico login <address>'"
      })
    }
    const tokens = yield* Effect.result(readTokens(profile))
    const signedIn = tokens._tag === "Success" && tokens.success !== undefined
    yield* show({ ...profile, signed_in: signedIn })
  })
).pipe(
  Command.withShortDescription("Show a profile"),
  Command.withDescription("Shows a profile: its address, and how it signs in. It has no secrets."),
  Command.withExamples([{ command: "portico profile show", description: "Show the one in use" }])
)

const remove = Command.make(
  "remove",
  { name },
  Effect.fnUntraced(function* ({ name }) {
    const profile = yield* found(name)
    const { note } = yield* Screen
    const done = yield* logout(profile)
    yield* dropProfile(name)
    yield* note(`The profile '${name}' is removed.`)
    if (done?.reason !== undefined) yield* note(`Its tokens were not revoked: ${done.reason}`)
  })
).pipe(
  Command.withAlias("rm"),
  Command.withShortDescription("Log out, and forget a profile"),
  Command.withDescription("Revokes and removes the tokens of a profile, and the profile."),
  Command.withExamples([{ command: "portico profile remove ci", description: "Forget the profile ci" }])
)

export const profile = Command.make("profile").pipe(
  Command.withShortDescription("List, choose and remove logins"),
  Command.withDescription(
    "A profile is an address with a login. 'portico login' makes one; --profile or PORTICO_PROFILE choose one."
  ),
  Command.withSubcommands([list, use, show, remove])
)
