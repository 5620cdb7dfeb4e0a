import { freshSecret } from "@portico/client/webhooks"
import { Config, Effect, FileSystem, Option, Path, Schema } from "effect"
import { createHash } from "node:crypto"
import { homedir } from "node:os"
import process from "node:process"
import { CliFailure } from "../CliFailure.ts"
import { Screen } from "../Screen.ts"
import { replaceFile } from "./cursorFile.ts"

const Kept = Schema.Struct({
  forward_to: Schema.String,
  secret: Schema.String,
  /** How far the receiver has the events, by gateway and project. */
  cursors: Schema.Record(Schema.String, Schema.String)
})
type Kept = typeof Kept.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))

const directory = Effect.gen(function* () {
  const state = yield* Effect.orDie(Config.option(Config.NonEmptyString("XDG_STATE_HOME")))
  const path = yield* Path.Path
  return path.join(
    Option.getOrElse(state, () => path.join(homedir(), ".local", "state")),
    "portico",
    "listeners"
  )
})

const fileOf = Effect.fnUntraced(function* (url: URL) {
  const name = createHash("sha256").update(url.href).digest("hex").slice(0, 16)
  return (yield* Path.Path).join(yield* directory, name)
})

/** What is kept of a listener; nothing when that is no file of this command's. */
const keptIn = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.option(files.readFileString(`${file}.json`))
  return Option.flatMap(text, decode)
})

/** Writes what is kept, for the user alone. A disk that is full or read-only does not stop deliveries. */
const writer = Effect.fnUntraced(function* (file: string) {
  const { note } = yield* Screen
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let said = false
  return (kept: Kept) =>
    Effect.andThen(
      files.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 }),
      replaceFile(`${file}.json`, `${JSON.stringify(kept, undefined, 2)}\n`, 0o600)
    ).pipe(
      Effect.catch(({ reason }) => {
        if (said) return Effect.void
        said = true
        return note(
          `The listener's place and secret cannot be kept in ${file}.json (${reason._tag}): the next one begins anew.`
        )
      }),
      Effect.provideService(FileSystem.FileSystem, files)
    )
})

const isAlive = (pid: number): boolean =>
  Number.isInteger(pid) &&
  pid > 0 &&
  Effect.runSync(
    Effect.match(Effect.try({ try: () => process.kill(pid, 0), catch: (error) => String(error) }), {
      onSuccess: () => true,
      // A process of another user's is alive, too.
      onFailure: (error) => error.includes("EPERM")
    })
  )

/** Lets one process at a time deliver to an address, until the scope ends. */
const locked = Effect.fnUntraced(function* (file: string, url: URL) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const lock = `${file}.lock`
  yield* Effect.ignore(files.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 }))
  const take = files.writeFileString(lock, String(process.pid), { flag: "wx", mode: 0o600 })
  const taken = Effect.catch(take, (error) =>
    Effect.gen(function* () {
      // Where nothing can be written, nothing is kept that two processes could mix up.
      if (error.reason._tag !== "AlreadyExists") return
      const pid = Number(yield* Effect.orElseSucceed(files.readFileString(lock), () => ""))
      if (isAlive(pid)) {
        return yield* new CliFailure({
          exit: "refused",
          message: `Another listener, process ${pid}, forwards to ${url.href}`,
          hint: "End it first; with two, each event would arrive twice"
        })
      }
      yield* Effect.ignore(files.remove(lock))
      yield* Effect.ignore(take)
    })
  )
  yield* Effect.acquireRelease(taken, () => Effect.ignore(files.remove(lock)))
})

/** A listener as it was left, or a new one with a fresh secret. Nothing is written yet. */
export const listenerAt = Effect.fnUntraced(function* (url: URL) {
  const file = yield* fileOf(url)
  const found = yield* keptIn(file)
  let kept = Option.getOrElse(found, (): Kept => ({ forward_to: url.href, secret: freshSecret(), cursors: {} }))
  const write = yield* writer(file)
  const change = (next: Kept) => write((kept = next))
  return {
    file: `${file}.json`,
    isNew: Option.isNone(found),
    secret: kept.secret,
    lock: locked(file, url),
    /** Keeps the secret. */
    save: Effect.suspend(() => write(kept)),
    cursorOf: (log: string) => kept.cursors[log],
    keep: (log: string, cursor: string) => change({ ...kept, cursors: { ...kept.cursors, [log]: cursor } })
  }
})

/** The addresses that listeners have forwarded to. */
export const knownAddresses = Effect.gen(function* () {
  const path = yield* Path.Path
  const files = yield* FileSystem.FileSystem
  const folder = yield* directory
  const names = yield* Effect.orElseSucceed(files.readDirectory(folder), (): Array<string> => [])
  const kept = yield* Effect.forEach(
    names.filter((_) => _.endsWith(".json")),
    (_) => keptIn(path.join(folder, _.slice(0, -".json".length)))
  )
  return kept.flatMap((_) => (Option.isSome(_) ? [new URL(_.value.forward_to)] : []))
})
