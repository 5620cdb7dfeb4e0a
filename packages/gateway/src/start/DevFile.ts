import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, Option, Schema } from "effect"
import { join } from "node:path"

/** `dev.json`: the addresses of all servers, and demo tokens. */
export const DevFile = Schema.Struct({
  customer_url: Schema.String,
  operator_url: Schema.String,
  /** Where agents speak MCP. A file of an earlier release lacks it. */
  agent_url: Schema.optionalKey(Schema.String),
  auth_url: Schema.String,
  cloud_url: Schema.String,
  /** Where S3 clients reach the object gateway. A file of an earlier release lacks it. */
  s3_url: Schema.optionalKey(Schema.String),
  /** The authority of the planes' certificate; absent for plain HTTP. */
  ca_file: Schema.optionalKey(Schema.String),
  /** The public client of the command line at the identity provider. A file of an earlier release lacks it. */
  cli_client_id: Schema.optionalKey(Schema.String),
  operator: Schema.Struct({ token: Schema.String }),
  tenants: Schema.Array(
    Schema.Struct({
      slug: Schema.String,
      project_id: Schema.String,
      tokens: Schema.Struct({
        tier0: Schema.String,
        tier1: Schema.String,
        tier2: Schema.String,
        owner: Schema.String
      })
    })
  )
})
export type DevFile = typeof DevFile.Type

const Text = Schema.fromJsonString(DevFile)

const fileIn = (dataDir: string): string => join(dataDir, "dev.json")

/** The file that an earlier start wrote; undefined when there is none or it cannot be parsed. */
export const readDevFile = Effect.fnUntraced(function* (dataDir: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs
    .readFileString(fileIn(dataDir))
    .pipe(Effect.flatMap(Schema.decodeUnknownEffect(Text)), Effect.option, Effect.map(Option.getOrUndefined))
}, Effect.provide(NodeFileSystem.layer))

/** Readable by its owner only, because it contains tokens. */
export const writeDevFile = Effect.fnUntraced(function* (dataDir: string, content: DevFile) {
  const fs = yield* FileSystem.FileSystem
  const draft = `${fileIn(dataDir)}.draft`
  yield* fs.makeDirectory(dataDir, { recursive: true })
  yield* fs.writeFileString(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  yield* fs.rename(draft, fileIn(dataDir))
}, Effect.provide(NodeFileSystem.layer))
