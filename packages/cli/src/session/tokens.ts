import { Config, Data, Effect, Option, Result, Schema } from "effect"
import { join } from "node:path"
import { CliFailure } from "../CliFailure.ts"
import { Screen } from "../Screen.ts"
import { stateDirectory } from "./directories.ts"
import { FileProblem, readPrivate, removePrivate, writePrivate } from "./files.ts"
import { hasKeyring, keyring, type KeyringProblem } from "./keyring.ts"
import { locked } from "./lock.ts"
import type { Profile } from "./Profile.ts"

/** What is kept of a login. */
export const Kept = Schema.Struct({
  access_token: Schema.optionalKey(Schema.String),
  /** Milliseconds since the epoch. */
  expires_at: Schema.optionalKey(Schema.Finite),
  refresh_token: Schema.optionalKey(Schema.String),
  /** Of a machine credential. */
  client_secret: Schema.optionalKey(Schema.String)
})
export type Kept = typeof Kept.Type

// Without a keyring the tokens are in a file a profile, below the directory of the state: that of the configuration is
// the one that people keep among their dotfiles and copy to other machines, where a refresh token that rotates would
// end the login of the other copy.

type Where = Pick<Profile, "name" | "store" | "url">

const fileOf = ({ name }: Where) => Effect.map(stateDirectory, (_) => join(_, "tokens", `${name}.json`))

/** Profiles of two configurations may have one name. */
const accountOf = ({ name, url }: Where): string => `${name}@${url}`

/** Why tokens cannot be read or kept, in the middle of a sentence. */
export class StoreProblem extends Data.TaggedError("StoreProblem")<{ readonly message: string }> {}

const problemOf = (error: FileProblem | KeyringProblem): StoreProblem =>
  new StoreProblem({
    message: error._tag === "FileProblem" ? `${error.path}: ${error.reason}` : `the system's keyring: ${error.reason}`
  })

const noKeyring = new StoreProblem({ message: "this system has no keyring that is known" })

/** A file is found by the name of its profile, which may get another address: it says itself what its tokens are for. */
const Stored = Schema.Struct({ ...Kept.fields, url: Schema.optionalKey(Schema.String) })

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Stored))

const textOf = (where: Where) =>
  Effect.gen(function* () {
    if (where.store === "keyring") {
      return yield* keyring === undefined ? noKeyring : Effect.mapError(keyring.read(accountOf(where)), problemOf)
    }
    const path = yield* fileOf(where)
    const found = yield* Effect.mapError(readPrivate(path), problemOf)
    if (found?.wasOpen === true) {
      const { note } = yield* Screen
      yield* note(
        `${path} could be read by others, which has been corrected. If others use this machine, log out and in again.`
      )
    }
    return found?.text
  })

/** The tokens of a profile; undefined when it is signed out, or those that are kept are for another address. */
export const readTokens = Effect.fnUntraced(function* (where: Where) {
  const text = yield* textOf(where)
  if (text === undefined || text === "") return undefined
  const { url = where.url, ...kept } = yield* Effect.mapError(
    decode(text),
    () => new StoreProblem({ message: "what is kept is not what this program keeps" })
  )
  return url === where.url ? kept : undefined
})

export const writeTokens = Effect.fnUntraced(function* (where: Where, tokens: Kept) {
  if (where.store === "file") {
    const text = JSON.stringify({ ...tokens, url: where.url } satisfies typeof Stored.Type)
    return yield* Effect.mapError(writePrivate(yield* fileOf(where), `${text}\n`), problemOf)
  }
  if (keyring === undefined) return yield* noKeyring
  yield* Effect.mapError(keyring.write(accountOf(where), JSON.stringify(tokens)), problemOf)
})

export const removeTokens = Effect.fnUntraced(function* (where: Where) {
  if (where.store === "file") return yield* Effect.mapError(removePrivate(yield* fileOf(where)), problemOf)
  if (keyring !== undefined) yield* Effect.mapError(keyring.remove(accountOf(where)), problemOf)
})

/** One process at a time renews, replaces and removes the tokens of a profile. */
export const lockedTokens =
  ({ name }: Pick<Profile, "name">) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(stateDirectory, (_) => locked(join(_, "tokens", `${name}.lock`))(work)).pipe(
      Effect.catchIf(
        (error): error is FileProblem => error instanceof FileProblem,
        (error) => Effect.fail(problemOf(error))
      )
    )

/** Writes, and reads again: a keyring's program may succeed without keeping anything. */
const proven = Effect.fnUntraced(function* (where: Where, tokens: Kept) {
  yield* writeTokens(where, tokens)
  const found = yield* readTokens(where)
  if (JSON.stringify(found) !== JSON.stringify(tokens)) {
    return yield* new StoreProblem({ message: "the system's keyring does not return what it was given" })
  }
})

const Wanted = Config.option(Config.schema(Schema.Literals(["keyring", "file"]), "PORTICO_TOKEN_STORE"))

/** Where a login keeps its tokens: in the keyring if one answers, and holds what it is given. */
export const keepTokens = Effect.fnUntraced(
  function* (where: Omit<Where, "store">, tokens: Kept) {
    const wanted = yield* Effect.mapError(
      Wanted,
      () => new CliFailure({ exit: "usage", message: "PORTICO_TOKEN_STORE is neither 'keyring' nor 'file'" })
    )
    const file = { ...where, store: "file" } as const
    const inKeyring = { ...where, store: "keyring" } as const
    const asked = Option.getOrUndefined(wanted)
    if (asked === "keyring" || (asked === undefined && (yield* hasKeyring))) {
      const kept = yield* Effect.result(proven(inKeyring, tokens))
      if (Result.isSuccess(kept)) {
        yield* Effect.ignore(removeTokens(file))
        return "keyring" as const
      }
      if (asked === "keyring") return yield* kept.failure
      const { note } = yield* Screen
      yield* note(`The tokens are kept in a file, because ${kept.failure.message}.`)
    }
    yield* writeTokens(file, tokens)
    return "file" as const
  },
  Effect.catchTag("StoreProblem", ({ message }) =>
    Effect.fail(new CliFailure({ exit: "usage", message: `The tokens cannot be kept: ${message}` }))
  )
)
