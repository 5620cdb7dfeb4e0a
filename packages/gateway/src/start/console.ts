import { Effect, Fiber, type Scope } from "effect"
import { execFile } from "node:child_process"
import { access } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const script = fileURLToPath(new URL("../../../console/build/build.ts", import.meta.url))

/** A build takes seconds, and one that is up to date none. */
const limit = "5 minutes"

const execute = promisify(execFile)

/**
 * Builds the console beside everything else that starts. The gateway takes a new build up by itself.
 *
 * @returns waits for the build, and says whether there is a console
 */
export const consoleBuild: Effect.Effect<Effect.Effect<boolean>, never, Scope.Scope> = Effect.gen(function* () {
  const isThere = yield* Effect.match(
    Effect.tryPromise(() => access(script)),
    { onFailure: () => false, onSuccess: () => true }
  )
  if (!isThere) return Effect.succeed(false)
  const build = yield* Effect.forkScoped(
    Effect.tryPromise((signal) => execute(process.execPath, [script], { signal })).pipe(
      Effect.timeout(limit),
      Effect.matchEffect({
        onFailure: (error) => Effect.as(Effect.logError("the console could not be built", error), false),
        onSuccess: () => Effect.succeed(true)
      })
    )
  )
  return Fiber.join(build)
})
