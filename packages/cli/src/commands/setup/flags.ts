import { Option } from "effect"
import { Flag } from "../../effectCli.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

const boolean = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const name = (of: string) =>
  Flag.String("name").pipe(
    Flag.withDescription(`The name of the ${of}`),
    Flag.withMetavar("name"),
    Flag.withDefault("portico")
  )

export const caFile = text(
  "ca-file",
  "file",
  "PEM file of the authorities that signed the platform's certificates. Default: the profile's"
)
export const region = (description: string) => text("region", "name", description)
export const endpoint = text(
  "endpoint",
  "address",
  "The address of the object gateway. Default: what the platform says"
)
export const storeSecret = (what: string) => boolean("store-secret", `Write ${what} to a file of mode 0600`)
export const optionalText = text
export const flag = boolean

/** What every client has. */
export const manner = {
  dryRun: boolean("dry-run", "Show what would change, and change nothing"),
  print: boolean("print", "Print the entries, to be put somewhere by hand, and change nothing"),
  remove: boolean("remove", "Remove the entries of an earlier setup"),
  force: boolean("force", "Replace an entry of that name, also one that setup did not write"),
  absolute: boolean("absolute", "Name this program by its path, for clients with another PATH")
}
