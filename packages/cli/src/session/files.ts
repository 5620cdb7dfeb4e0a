import { Data, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import process from "node:process"

/** Why a file cannot be read or written. */
export class FileProblem extends Data.TaggedError("FileProblem")<{
  readonly path: string
  /** In the middle of a sentence: "the disk is full". */
  readonly reason: string
  readonly code: string
}> {}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ELOOP: "it is a symbolic link",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENOENT: "it does not exist"
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

export const problemOf = (path: string, cause: unknown): FileProblem => {
  if (cause instanceof FileProblem) return cause
  const code = codeOf(cause)
  return new FileProblem({
    path,
    code,
    reason: reasons[code] ?? String(cause instanceof Error ? cause.message : cause)
  })
}

const working = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, FileProblem> =>
  Effect.tryPromise({ try: work, catch: (cause) => problemOf(path, cause) })

/** Windows has no modes: there, the access rights of the user's profile protect the file. */
const hasModes = process.platform !== "win32"

const isOpen = (mode: number): boolean => hasModes && (mode & 0o077) !== 0

/** Makes a directory that its owner alone can enter; a link in its place is refused. */
const privateDirectory = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const found = await lstat(path)
  if (found.isSymbolicLink()) throw new FileProblem({ path, code: "ELOOP", reason: reasons["ELOOP"] ?? "" })
  if (isOpen(found.mode)) await chmod(path, 0o700)
}

/** A killed process leaves its draft, which may have a secret in it. */
const removeDrafts = async (path: string): Promise<void> => {
  const [directory, prefix] = [dirname(path), `${basename(path)}.`]
  const drafts = (await readdir(directory)).filter((_) => _.startsWith(prefix) && _.endsWith(".draft"))
  await Promise.all(drafts.map((_) => rm(join(directory, _), { force: true })))
}

const flushed = async (directory: string): Promise<void> => {
  // Not every file system and operating system can: the rename itself is done.
  const handle = await open(directory, constants.O_RDONLY).catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** A file of the owner's alone, whole or not at all: a draft that reaches the disk, and a rename. */
const replaced = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.draft`
  const put = async () => {
    const handle = await open(draft, "wx", 0o600)
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close())
    await rename(draft, path)
  }
  await put().catch(async (cause: unknown) => {
    await rm(draft, { force: true }).catch(() => undefined)
    throw cause
  })
  await flushed(dirname(path))
}

/** Writes a secret. The caller holds the lock, so that no other process has a draft. */
export const writePrivate = (path: string, text: string): Effect.Effect<void, FileProblem> =>
  working(path, async () => {
    await privateDirectory(dirname(path))
    await removeDrafts(path).catch(() => undefined)
    await replaced(path, text)
  })

/** Writes a file without secrets. A link, such as one to somebody's dotfiles, stays one. */
export const writePlain = (path: string, text: string): Effect.Effect<void, FileProblem> =>
  working(path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await replaced(await realpath(path).catch(() => path), text)
  })

export interface PrivateText {
  readonly text: string
  /** Whether others could read it until now. */
  readonly wasOpen: boolean
}

/** Reads a secret; undefined when there is none. Links and other users' files are refused, open modes are closed. */
export const readPrivate = (path: string): Effect.Effect<PrivateText | undefined, FileProblem> =>
  working(path, async () => {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const read = async () => {
      const { mode, uid, ...found } = await handle.stat()
      const refuse = (reason: string) => new FileProblem({ path, code: "", reason })
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw refuse("it is not a file")
      if (hasModes && uid !== process.getuid?.()) throw refuse("it belongs to another user")
      if (found.size > 1_000_000) throw refuse("it is too large")
      if (isOpen(mode)) await handle.chmod(0o600)
      return { text: await handle.readFile("utf8"), wasOpen: isOpen(mode) }
    }
    return read().finally(() => handle.close())
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "ENOENT",
      () => Effect.succeed(undefined)
    )
  )

/** Removes a secret and its drafts. */
export const removePrivate = (path: string): Effect.Effect<void, FileProblem> =>
  working(path, async () => {
    await rm(path, { force: true })
    await removeDrafts(path).catch(() => undefined)
  })
