import { Clock, DateTime, Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { problemOf, writePlain } from "../session/files.ts"
import { type Change, readText } from "../setup/files.ts"
import { type Client, describedBy, type Fields } from "./clients.ts"
import { type EntryPath, readJson, withJson, withoutJson } from "./jsonEntries.ts"

const toml = Effect.promise(() => import("./tomlEntries.ts"))

/** The file of a client, and the entry of a name in it. */
export interface Configuration {
  readonly client: Client
  readonly place: EntryPath
  readonly change: Change
  /** Undefined when there is none. */
  readonly found: { readonly value: unknown } | undefined
}

export const readConfiguration = Effect.fnUntraced(function* (client: Client, path: string, name: string) {
  const before = yield* readText(path)
  const change: Change = { path, before, after: before }
  const place = { key: client.key, name }
  const found =
    client.format === "toml"
      ? yield* (yield* toml).readToml(change, place)
      : yield* readJson(change, place, client.format === "json with comments")
  return { client, place, change, found } satisfies Configuration
})

export const withEntry = Effect.fnUntraced(function* ({ change, client, found, place }: Configuration, fields: Fields) {
  if (client.format === "toml") return yield* (yield* toml).withToml(change, place, found?.value, fields)
  return withJson(change, place, found?.value, fields)
})

export const withoutEntry = Effect.fnUntraced(function* ({ change, client, found, place }: Configuration) {
  if (found === undefined) return change
  if (client.format === "toml") return yield* (yield* toml).withoutToml(change, place)
  return withoutJson(change, place)
})

/** Whether an entry is one of ours: it starts this program for that profile, or leads to that agent plane. */
export const isOurs = (entry: unknown, profile: string, agentUrl: string | undefined): boolean => {
  const { args, url } = describedBy(entry)
  const at = args.indexOf("mcp")
  if (at >= 0 && args[at + 1] === "--profile" && args[at + 2] === profile) return true
  const [endpoint] = typeof url === "string" ? url.split("?", 1) : []
  return endpoint !== undefined && endpoint === agentUrl?.split("?", 1)[0]
}

/** A foreign entry stays, unless a person says otherwise. */
export const foreignRefusal = ({ change, place }: Configuration) =>
  new CliFailure({
    exit: "refused",
    message: `The server '${place.name}' in ${change.path} was not written by 'portico agents connect'`,
    hint: "Take another name with --name, or replace it with --force"
  })

/** Keeps what a file said before, beside it, where its owner alone can read it. */
export const backUp = Effect.fnUntraced(function* ({ after, before, path }: Change) {
  if (before === undefined || after === before) return
  yield* Effect.mapError(
    writePlain(`${path}.portico-backup`, before),
    (problem) =>
      new CliFailure({
        exit: "refused",
        message: `${path} cannot be backed up: ${problemOf(path, problem).reason}`,
        hint: "Nothing was changed in it"
      })
  )
})

/** Whether a moment has passed. */
export const isOver = (at: string) =>
  Effect.map(Clock.currentTimeMillis, (now) => DateTime.toEpochMillis(DateTime.makeUnsafe(at)) <= now)
