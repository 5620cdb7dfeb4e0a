import { Config, Effect, Option } from "effect"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

// The XDG Base Directory Specification; a relative path in one of its variables does not count.

const below = (variable: string, ...usual: ReadonlyArray<string>) =>
  Effect.orDie(
    Effect.map(
      Effect.all([Config.option(Config.String(variable)), Config.option(Config.NonEmptyString("HOME"))]),
      ([given, home]) =>
        join(
          Option.getOrElse(Option.filter(given, isAbsolute), () => join(Option.getOrElse(home, homedir), ...usual)),
          "portico"
        )
    )
  )

/** What people write, and may keep among their dotfiles: no secrets. */
export const configDirectory = below("XDG_CONFIG_HOME", ".config")

/** What this machine alone knows. */
export const stateDirectory = below("XDG_STATE_HOME", ".local", "state")

/** What can be made again at any time. */
export const cacheDirectory = below("XDG_CACHE_HOME", ".cache")
