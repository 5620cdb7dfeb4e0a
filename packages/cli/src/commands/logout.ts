import { Effect, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Command, Flag } from "../effectCli.ts"
import { Output } from "../output/Output.ts"
import { Screen } from "../Screen.ts"
import { Session } from "../Session.ts"
import { type LoggedOut, logout as logOut } from "../session/logout.ts"
import { readProfiles } from "../session/profiles.ts"

const sentence = ({ profile, reason, revoked }: LoggedOut): string => {
  if (revoked) return `Signed out of '${profile}': its tokens are revoked and removed.`
  return reason === undefined
    ? `Signed out of '${profile}'. Its personal access token is still good elsewhere: 'portico credentials revoke' ends it.`
    : `Signed out of '${profile}' on this machine alone: its tokens are removed, but not revoked. ${reason}`
}

export const logout = Command.make(
  "logout",
  { all: Flag.Boolean("all").pipe(Flag.withDescription("Log out of all profiles"), Flag.withDefault(false)) },
  Effect.fnUntraced(function* ({ all }) {
    const { note } = yield* Screen
    const { format, rows } = yield* Output
    const one = Effect.map((yield* Session).profile, (_) => (_ === undefined ? [] : [_]))
    const profiles = all ? (yield* readProfiles).all : yield* one
    const done = (yield* Effect.forEach(profiles, logOut)).flatMap((_) => (_ === undefined ? [] : [_]))
    if (done.length === 0) yield* note("No profile is logged in.")
    for (const each of done) yield* note(sentence(each))
    if (format !== "table") yield* rows(Stream.fromIterable(done))
    const left = done.filter((_) => _.reason !== undefined)
    if (left.length === 0) return
    return yield* new CliFailure({
      exit: "platform",
      message: `The identity provider did not revoke the tokens of ${left.map((_) => `'${_.profile}'`).join(", ")}`,
      hint: "They end by themselves; an operator can end the person's sessions at the provider before that"
    })
  })
).pipe(
  Command.withShortDescription("Log out, and revoke the tokens"),
  Command.withDescription("Revokes the tokens of the profile at the identity provider, and removes them here."),
  Command.withExamples([
    { command: "portico logout", description: "Log out of the profile in use" },
    { command: "portico logout --all", description: "Log out of all profiles" }
  ])
)
