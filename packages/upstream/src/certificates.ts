import { Config, ConfigProvider, Effect } from "effect"
import { readFile } from "node:fs/promises"

/**
 * The PEM certificates in the file that a setting names. One that names no
 * readable file stops the process at start, as a missing one does.
 */
export const certificatesIn =
  (setting: string) =>
  (file: string): Effect.Effect<string, Config.ConfigError> =>
    Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: (cause) =>
        new Config.ConfigError(
          new ConfigProvider.SourceError({
            message: `the file that ${setting} names cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
          })
        )
    })
