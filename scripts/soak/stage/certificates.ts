import { ensured } from "@portico/gateway/start/certificates"
import { Effect, FileSystem } from "effect"
import { join } from "node:path"

/**
 * A certificate for the planes, in a directory of its own. Each renewal has another authority, and adds it to those that
 * the clients trust.
 */
export const certificates = Effect.fnUntraced(function* (directory: string, trusted: Array<string>) {
  const fs = yield* FileSystem.FileSystem
  const files = {
    ca: join(directory, "ca.pem"),
    cert: join(directory, "cert.pem"),
    key: join(directory, "key.pem")
  }
  const renewed = Effect.gen(function* () {
    const fresh = yield* fs.makeTempDirectory({ directory, prefix: "renewal-" })
    const made = { ca: join(fresh, "ca.pem"), cert: join(fresh, "cert.pem"), key: join(fresh, "key.pem") }
    yield* ensured(fresh, made)
    trusted.push(yield* fs.readFileString(made.ca))
    // A reader in between sees a key that does not fit, says so, and keeps what it has.
    for (const name of ["key", "cert", "ca"] as const) yield* fs.rename(made[name], files[name])
  })
  yield* fs.makeDirectory(directory, { recursive: true })
  yield* renewed
  return { ...files, renewed }
})
