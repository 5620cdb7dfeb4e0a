import type { Onboarded } from "@portico/contract/Tenants"
import { Effect, FileSystem, type PlatformError, type Scope } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { harmless } from "../../output/sanitize.ts"
import { Screen } from "../../Screen.ts"

/** A file that belongs to this call alone, and is still empty. */
export interface SecretFile {
  readonly path: string
  readonly write: (secret: string) => Effect.Effect<void, PlatformError.PlatformError>
}

/**
 * Makes the file before the call is made that answers with the secret: a secret
 * that is shown once must have a place. It is for its owner alone, never
 * replaces another file, and goes again when nothing was written to it.
 */
export const secretFile = (path: string): Effect.Effect<SecretFile, CliFailure, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    let isWritten = false
    const made = files.writeFileString(path, "", { flag: "wx", mode: 0o600 }).pipe(
      Effect.mapError(({ reason }) => {
        const why = reason._tag === "AlreadyExists" ? "exists already" : `cannot be made (${reason._tag})`
        return new CliFailure({
          exit: "usage",
          message: `The file '${harmless(path)}' ${why}`,
          hint: "Name another place for the secret; nothing was asked of the gateway"
        })
      })
    )
    yield* Effect.acquireRelease(made, () => (isWritten ? Effect.void : Effect.ignore(files.remove(path))))
    return {
      path,
      write: (secret) =>
        Effect.tap(files.writeFileString(path, `${secret}\n`, { mode: 0o600 }), () =>
          Effect.sync(() => {
            isWritten = true
          })
        )
    }
  })

/** Puts the secret of a first credential into its file, if there is one; and what is shown then. */
export const secretKept = Effect.fnUntraced(function* <A extends Onboarded>(file: SecretFile | undefined, made: A) {
  const { note } = yield* Screen
  const { credential } = made
  const secret = credential.client_secret
  const asItIs = { path: undefined, shown: made }
  if (secret === null) {
    yield* note(
      "This call was answered before: the secret was shown then, and no call shows it again. Without it, no program can " +
        `sign in to the tenant. If it has no owner either, close its account with 'portico account close --project ${made.tenant.project_id}', ` +
        "and onboard it under another name."
    )
  }
  if (file === undefined || secret === null) return asItIs
  return yield* file.write(secret).pipe(
    Effect.as({
      path: file.path,
      shown: { ...made, credential: { ...credential, client_secret: null, client_secret_file: file.path } }
    }),
    // Better on the screen than nowhere.
    Effect.catch(({ reason }) =>
      Effect.as(
        note(`'${harmless(file.path)}' cannot be written (${reason._tag}): the secret is shown instead.`),
        asItIs
      )
    )
  )
})
