import { Effect, FileSystem, Option } from "effect"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { run } from "./run.ts"

/** The paths of a cluster and the account of its server: PostgreSQL refuses to run as root. */
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
 * When this process is root, the server runs as the owner of the directory, or
 * as the user `nobody`. That account may lack access to the directory, say
 * below `/root`. Then the cluster lives in the temporary directory.
 */
export const homeFor = Effect.fnUntraced(function* (dataDir: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(dataDir, { recursive: true })
  const wanted = yield* fs.realPath(resolve(dataDir))
  if (process.getuid?.() !== 0) return homeAt(wanted, undefined)

  const account = yield* accountFor(wanted)
  if (yield* isReachable(wanted, account)) return homeAt(wanted, account)

  const fallback = yield* temporary(wanted)
  if (fallback === undefined || !(yield* isReachable(fallback, account))) {
    return yield* new EmbeddedPostgresError({
      message:
        `PostgreSQL does not run as root, and user ${account.uid} can use neither ${wanted} nor ${tmpdir()}. ` +
        `Choose a data directory that every user can reach.`
    })
  }
  yield* Effect.logInfo(`PostgreSQL keeps its data in ${fallback}, because user ${account.uid} cannot reach ${wanted}`)
  return homeAt(fallback, account)
})

const homeAt = (path: string, account: Account | undefined): Home => ({
  path,
  account,
  cluster: join(path, "cluster"),
  data: join(path, "cluster", "data"),
  password: join(path, "cluster", "password"),
  log: join(path, "postgres.log")
})

/** The owner of the directory; for root's own directory the user `nobody`, which then gets search permission. */
const accountFor = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const { uid, gid, mode } = yield* fs.stat(directory)
  if (!isRoot(uid)) return { uid: Option.getOrThrow(uid), gid: Option.getOrThrow(gid) }
  yield* fs.chmod(directory, (mode & 0o777) | 0o111)
  return nobody
})

const nobody: Account = { uid: 65534, gid: 65534 }

const isRoot = Option.contains(0)

/**
 * A fixed directory in the temporary directory. Undefined when another user
 * owns it, since every user may write there.
 */
const temporary = Effect.fnUntraced(function* (wanted: string) {
  const fs = yield* FileSystem.FileSystem
  const name = `portico-postgres-${createHash("sha256").update(wanted).digest("hex").slice(0, 16)}`
  const directory = join(yield* fs.realPath(tmpdir()), name)
  yield* Effect.ignore(fs.makeDirectory(directory))
  const found = yield* fs.lstat(directory)
  if (found.type !== "Directory" || !isRoot(found.uid)) return undefined
  yield* fs.chmod(directory, 0o711)
  return directory
})

/** Whether the account can enter a directory or run a file. The only sure way to know is to try. */
export const isReachable = (path: string, account: Account | undefined) =>
  Effect.isSuccess(run("test", ["-x", path], account))

/** Changes the owner from root to the server's account. */
export const handOver = ({ account }: Home, path: string) =>
  account === undefined ? Effect.void : Effect.asVoid(run("chown", ["-R", `${account.uid}:${account.gid}`, path]))

/** Creates a directory atomically: it is filled under another name and then renamed. */
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
    // When another process was faster, both use its directory.
    Effect.catch((error) => Effect.flatMap(fs.exists(path), (made) => (made ? Effect.void : Effect.fail(error)))),
    Effect.ensuring(Effect.ignore(removeDraft))
  )
})
