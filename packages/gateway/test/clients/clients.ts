import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { spawned } from "../processes/children.ts"

/** Where scripts/parts/clients.sh installs them. */
export const part = "/opt/portico-parts/clients"

/** Whether they are here: the stamp is written when everything is. */
export const isHere = existsSync(join(part, "stamp"))

export const title = (told: string): string =>
  isHere ? told : `${told}: NOT RUN, scripts/parts/clients.sh HAS NOT RUN`

if (!isHere) console.warn(`${part} is not installed: nothing of what clients of others do here is tried`)

export interface Ended {
  readonly code: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the part, which finds these settings and nothing of the surroundings. */
export const ran = (
  home: string,
  [program = "", ...args]: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {}
): Effect.Effect<Ended> =>
  ranAlone(home, [join(part, "bin", program), ...args], {
    PATH: `${join(part, "bin")}:/usr/bin:/bin`,
    PYTHONDONTWRITEBYTECODE: "1",
    ...settings
  })

/** Runs a program in a home of its own, which finds these settings and nothing of the surroundings. */
export const ranAlone = (
  home: string,
  command: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const child = yield* spawned({ command, cwd: home, group: true, settings: { HOME: home, ...settings } })
    return { code: yield* child.ended, stdout: child.stdout(), stderr: child.stderr() }
  }).pipe(Effect.scoped)
