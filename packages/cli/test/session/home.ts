import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OpenBrowser } from "../../src/session/login/openBrowser.ts"
import { type Around, commandLine } from "../harness/commandLine.ts"

/** What a person does with the address that the command line opens. */
export type Browser = (url: string) => Promise<unknown>

/** Logs in at once, and follows the redirects as a browser does. */
export const as =
  (login: string): Browser =>
  (url) =>
    fetch(`${url}&login_hint=${encodeURIComponent(login)}`)

export interface Here extends Around {
  readonly browser?: Browser
}

/** A home of its own, which goes with the scope. */
export const newHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-home-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
).pipe(
  Effect.map((directory) => {
    const file = (...parts: ReadonlyArray<string>) => join(directory, ...parts)
    const tokens = (profile: string) => file(".local/state/portico/tokens", `${profile}.json`)
    return {
      directory,
      file,
      tokens,
      kept: (profile: string) => JSON.parse(readFileSync(tokens(profile), "utf8")),
      config: () => JSON.parse(readFileSync(file(".config/portico/config.json"), "utf8")),
      mode: (path: string) => (statSync(path).mode & 0o777).toString(8),
      run: (args: ReadonlyArray<string>, { browser, env, ...around }: Here = {}) => {
        let visit: Promise<unknown> = Promise.resolve()
        return commandLine(args, {
          ...around,
          env: { HOME: directory, ...env }
        }).pipe(
          Effect.provideService(OpenBrowser, (url) =>
            Effect.sync(() => {
              visit = browser?.(url) ?? visit
              return true
            })
          ),
          Effect.tap(() => Effect.promise(() => visit))
        )
      }
    }
  })
)
