import { CliFailure } from "../CliFailure.ts"

/** Where the entries of a client lead, and how the client starts this program. */
export interface Target {
  /** Of the plane, without a slash at its end. */
  readonly url: string
  /** Whose tokens they are: `profile acme`, or the address where no profile is. */
  readonly source: string
  /** Starts this program for the same gateway, followed by a command. */
  readonly command: ReadonlyArray<string>
  /** The profile that selects the gateway; without one, its address does. */
  readonly profile: string | undefined
  /** PEM file of the authorities that sign the plane's certificate. */
  readonly caFile: string | undefined
}

/** Flags that select the gateway, behind a command. */
export const flagsOf = ({ profile, url }: Pick<Target, "profile" | "url">): ReadonlyArray<string> =>
  profile === undefined ? ["--url", url] : ["--profile", profile]

const prefix = "Managed by portico setup"

/** What an entry of ours says of itself. */
export const markOf = ({ source }: Pick<Target, "source">): string => `${prefix} (${source})`

/** Finds the mark in a comment or a field, whatever stands around it. */
export const sourceIn = (text: string): string | undefined =>
  new RegExp(`${prefix} \\((.*?)\\)[ \\t]*$`, "m").exec(text)?.[1]

/** Whose entries of ours a text has. */
export const sourcesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(new RegExp(`${prefix} \\(([^)\n]*)\\)`, "g")), ([, source = ""]) => source))
]

/** How an entry that has the name stands to the one that is to be written. */
export type Ownership = "none" | "ours" | "foreign" | { readonly source: string }

export const ownershipOf = (source: string | undefined, target: Pick<Target, "source">): Ownership =>
  source === undefined ? "foreign" : source === target.source ? "ours" : { source }

export interface Allowed {
  /** Whether `--force` was given. */
  readonly force: boolean
}

/** Why an entry is not written over; undefined when it may be. */
export const refusalOf = (
  ownership: Ownership,
  what: string,
  path: string,
  { force }: Allowed
): CliFailure | undefined => {
  if (force || ownership === "none" || ownership === "ours") return undefined
  const because =
    ownership === "foreign" ? "was not written by 'portico setup'" : `belongs to ${describe(ownership.source)}`
  return new CliFailure({
    exit: "refused",
    message: `${what} in ${path} ${because}`,
    hint: "Take another name with --name, or replace it with --force"
  })
}

const describe = (source: string): string => (source.startsWith("profile ") ? `the ${source}` : source)

/** A file that is left alone because its own client could not read it. */
export const unreadable = (path: string, problem: string): CliFailure =>
  new CliFailure({
    exit: "refused",
    message: `${path} is not valid, and was left alone: ${problem.replace(/\.$/, "")}`,
    hint: "Correct the file, or move it away"
  })
