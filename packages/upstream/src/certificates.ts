import { Config, ConfigProvider, Effect } from "effect"
import { readFile } from "node:fs/promises"

/**
 * Reads the PEM certificates from the file of a setting. An unreadable file
 * stops the process at start, as a missing setting does.
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
