import { Effect, FileSystem } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { handOver, type Home, makeWhole } from "./Home.ts"
import { run } from "./run.ts"

/** Creates the cluster and its password on first use. */
export const initialise = (home: Home, bin: string, durable: boolean) =>
  makeWhole(
    home.cluster,
    Effect.fnUntraced(function* (path) {
      const fs = yield* FileSystem.FileSystem
      const password = join(path, "password")
      yield* fs.writeFileString(password, randomBytes(24).toString("base64url"), { mode: 0o600 })
      yield* handOver(home, path)
      yield* run(
        join(bin, "initdb"),
        [
          ["--pgdata", join(path, "data")],
          ["--username", "portico", "--auth", "scram-sha-256", "--pwfile", password],
          // The built-in locale sorts and folds the same way on every machine.
          ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
          ["--no-instructions", ...(durable ? [] : ["--no-sync", "--set", "scram_iterations=1"])]
        ].flat(),
        { ...home.account, cwd: path }
      )
    })
  )
