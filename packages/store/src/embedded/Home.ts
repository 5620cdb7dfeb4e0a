import { Effect, FileSystem, Option } from "effect"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { run } from "./run.ts"

/** Where everything is, and as whom it runs: PostgreSQL refuses to run as root. */
export interface Home {
  readonly path: string
  readonly account: Account | undefined
  readonly cluster: string
  readonly data: string
  readonly password: string
  readonly log: string
}

export interface Account {
  readonly uid: number
  readonly gid: number
}

/**
 * For root the server runs as whoever owns the directory, or as nobody. That
 * account may not be able to walk there, say into `/root`, and then the cluster
 * has to live in the temporary directory.
 */
export const homeFor = Effect.fnUntraced(function* (dataDir: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(dataDir, { recursive: true })
  const asked = yield* fs.realPath(resolve(dataDir))
  if (process.getuid?.() !== 0) return homeAt(asked, undefined)

  const account = yield* accountFor(asked)
  if (yield* isReachable(asked, account)) return homeAt(asked, account)

  const instead = yield* temporary(asked)
  if (instead === undefined || !(yield* isReachable(instead, account))) {
    return yield* new EmbeddedPostgresError({
      message:
        `PostgreSQL does not run as root, and user ${account.uid} can use neither ${asked} nor ${tmpdir()}. ` +
        `Choose a data directory that every user can reach.`
    })
  }
  yield* Effect.logInfo(`PostgreSQL keeps its data in ${instead}, because user ${account.uid} cannot reach ${asked}`)
  return homeAt(instead, account)
})

const homeAt = (path: string, account: Account | undefined): Home => ({
  path,
  account,
  cluster: join(path, "cluster"),
  data: join(path, "cluster", "data"),
  password: join(path, "cluster", "password"),
  log: join(path, "postgres.log")
})

/** The owner of the directory; for root's own, nobody, who is let through. */
const accountFor = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const { uid, gid, mode } = yield* fs.stat(directory)
  if (!isRoot(uid)) return { uid: Option.getOrThrow(uid), gid: Option.getOrThrow(gid) }
  yield* fs.chmod(directory, (mode & 0o777) | 0o111)
  return nobody
})

const nobody: Account = { uid: 65534, gid: 65534 }

const isRoot = Option.contains(0)

/** A directory of ours in the temporary one, always the same. Undefined when it is somebody else's, since anybody may write there. */
const temporary = Effect.fnUntraced(function* (asked: string) {
  const fs = yield* FileSystem.FileSystem
  const name = `portico-postgres-${createHash("sha256").update(asked).digest("hex").slice(0, 16)}`
  const directory = join(yield* fs.realPath(tmpdir()), name)
  yield* Effect.ignore(fs.makeDirectory(directory))
  const found = yield* fs.lstat(directory)
  if (found.type !== "Directory" || !isRoot(found.uid)) return undefined
  yield* fs.chmod(directory, 0o711)
  return directory
})

/** Whether the account can enter a directory, or run a file: the only sure way to know is to try. */
export const isReachable = (path: string, account: Account | undefined) =>
  Effect.isSuccess(run("test", ["-x", path], account))

/** Gives what root made to the server's account. */
export const handOver = ({ account }: Home, path: string) =>
  account === undefined ? Effect.void : Effect.asVoid(run("chown", ["-R", `${account.uid}:${account.gid}`, path]))

/** Makes a directory whole or not at all: it is filled under another name and then renamed. */
export const makeWhole = Effect.fnUntraced(function* <E, R>(
  path: string,
  fill: (draft: string) => Effect.Effect<void, E, R>
) {
  const fs = yield* FileSystem.FileSystem
  if (yield* fs.exists(path)) return
  const draft = `${path}.${process.pid}`
  const removeDraft = fs.remove(draft, { recursive: true, force: true })
  yield* removeDraft.pipe(
    Effect.andThen(fs.makeDirectory(draft)),
    Effect.andThen(fill(draft)),
    Effect.andThen(fs.rename(draft, path)),
    // When another process was faster, its directory serves both.
    Effect.catch((error) => Effect.flatMap(fs.exists(path), (made) => (made ? Effect.void : Effect.fail(error)))),
    Effect.ensuring(Effect.ignore(removeDraft))
  )
})
