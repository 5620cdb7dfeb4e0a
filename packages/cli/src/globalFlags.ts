import { Config, Option } from "effect"
import { Flag, GlobalFlag } from "./effectCli.ts"

// Flag before environment before profile before default.

/** A value, and whether the command line itself has it or a variable of its environment. */
export interface Given {
  readonly value: string
  readonly by: "flag" | "environment"
}

export const byFlag = (value: string): Given => ({ value, by: "flag" })
const variable = (name: string) =>
  Config.map(Config.NonEmptyString(name), (value): Given => ({ value, by: "environment" }))

export const formats = ["table", "json", "yaml", "tsv", "name"] as const
export type Format = (typeof formats)[number]

export const Url = GlobalFlag.Setting("url")({
  flag: Flag.String("url").pipe(
    Flag.withDescription("The address of a plane. Or PORTICO_URL; otherwise the profile's"),
    Flag.withMetavar("address"),
    Flag.map(byFlag),
    Flag.withFallbackConfig(variable("PORTICO_URL")),
    Flag.optional
  )
})

export const Profile = GlobalFlag.Setting("profile")({
  flag: Flag.String("profile").pipe(
    Flag.withDescription("The profile to work with. Or PORTICO_PROFILE; otherwise the one in use"),
    Flag.withMetavar("name"),
    Flag.map(byFlag),
    Flag.withFallbackConfig(variable("PORTICO_PROFILE")),
    Flag.optional
  )
})

/** The address beside a profile. A profile that the command line names comes before PORTICO_URL. */
export const addressBeside = (url: Option.Option<Given>, profile: Option.Option<Given>): Option.Option<string> =>
  url.pipe(
    Option.filter(({ by }) => by === "flag" || !isNamed(profile)),
    Option.map(({ value }) => value)
  )

/** Whether the command line itself names the profile. */
export const isNamed = (profile: Option.Option<Given>): boolean => Option.exists(profile, ({ by }) => by === "flag")

export const Output = GlobalFlag.Setting("output")({
  flag: Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("A table on a terminal and JSON elsewhere, when absent"),
    Flag.optional
  )
})

export const Query = GlobalFlag.Setting("query")({
  flag: Flag.String("query").pipe(
    Flag.withDescription("A JMESPath expression over the response"),
    Flag.withMetavar("expression"),
    Flag.optional
  )
})

export const Fields = GlobalFlag.Setting("fields")({
  flag: Flag.String("fields").pipe(
    Flag.withDescription("Only these fields, separated by commas"),
    Flag.withMetavar("names"),
    Flag.map((_) => _.split(",").map((name) => name.trim())),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
})

export const Quiet = GlobalFlag.Setting("quiet")({
  flag: Flag.Boolean("quiet").pipe(
    Flag.withAlias("q"),
    Flag.withDescription("Nothing but results and failures"),
    Flag.withDefault(false)
  )
})

export const all = [Url, Profile, Output, Query, Fields, Quiet] as const

/** The flags of every command line, as services. */
export type FlagValues = GlobalFlag.Setting.Identifier<(typeof all)[number]["id"]>
