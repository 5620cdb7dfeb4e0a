import { Config, Effect, Option } from "effect"
import type { Plane } from "./Profile.ts"
import { readProfiles } from "./profiles.ts"

/** The value of a flag in a command line that is not parsed yet. */
const valueOf = (args: ReadonlyArray<string>, flag: string): string | undefined => {
  const at = args.findIndex((_) => _ === flag || _.startsWith(`${flag}=`))
  return args[at]?.includes("=") === true ? args[at].slice(flag.length + 1) : args[at + 1]
}

const given = (args: ReadonlyArray<string>, flag: string, variable: string) =>
  args.some((_) => _ === flag || _.startsWith(`${flag}=`))
    ? Effect.succeed(valueOf(args, flag))
    : Effect.map(Effect.orDie(Config.option(Config.NonEmptyString(variable))), Option.getOrUndefined)

const listing = new Set(["--help", "-h", "__complete"])

/** Whether commands are listed: at other times nothing depends on the plane, and nothing is read. */
const lists = (args: ReadonlyArray<string>): boolean =>
  args.some((_) => listing.has(_)) || !args.some((_) => !_.startsWith("-"))

/** The plane of the profile that a command line means, as far as its configuration says it. */
export const planeFor = (args: ReadonlyArray<string>): Effect.Effect<Plane | undefined> =>
  Effect.gen(function* () {
    if (!lists(args)) return undefined
    const { all, current } = yield* readProfiles
    const name = yield* given(args, "--profile", "PORTICO_PROFILE")
    const url = yield* given(args, "--url", "PORTICO_URL")
    const profile = all.find((_) =>
      url === undefined || name !== undefined ? _.name === (name ?? current) : _.url === url && _.agent === undefined
    )
    return profile?.plane
  }).pipe(Effect.orElseSucceed(() => undefined))
