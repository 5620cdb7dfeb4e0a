import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Ended, commandLine } from "../harness/commandLine.ts"

const bin = (file: string) => join(import.meta.dirname, "../../src", file)

/** Whether a program is on this machine; says so loudly when it is not. */
export const isInstalled = (program: string, ...args: ReadonlyArray<string>): boolean => {
  const found = spawnSync(program, args, { stdio: "ignore" }).status === 0
  if (!found) console.warn(`${program} is not installed: nothing of what it does after 'portico setup' is tried`)
  return found
}

/** A home directory of its own, with this command line on the PATH. */
export const machine = (settings: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-setup-"))),
      (_) => Effect.sync(() => rmSync(_, { recursive: true }))
    ),
    (home) => {
      const programs = join(home, "programs")
      mkdirSync(programs)
      for (const [name, file] of [
        ["portico", "bin.ts"],
        ["docker-credential-portico", "dockerCredentialBin.ts"]
      ] as const) {
        writeFileSync(join(programs, name), `#!/bin/sh\nexec '${process.execPath}' '${bin(file)}' "$@"\n`)
        chmodSync(join(programs, name), 0o755)
      }
      const env = { HOME: home, PATH: `${programs}:${process.env["PATH"] ?? ""}`, ...settings }
      const at = (path: string) => join(home, path)
      return {
        home,
        env,
        at,
        /** `portico setup kubectl`, in this process. */
        portico: (line: string, more: Readonly<Record<string, string>> = {}): Effect.Effect<Ended> =>
          commandLine(line.split(" "), { env: { ...env, ...more } }),
        /** A program that knows nothing but this home. */
        run: (
          file: string,
          args: ReadonlyArray<string>,
          { input = "", more = {} }: { input?: string; more?: Readonly<Record<string, string>> } = {}
        ): Effect.Effect<Ended> =>
          Effect.callback((resume) => {
            const child = execFile(
              file,
              [...args],
              { env: { ...env, ...more }, timeout: 600_000, cwd: home },
              (error, stdout, stderr) =>
                resume(
                  Effect.succeed({
                    exit: error === null ? 0 : typeof error.code === "number" ? error.code : -1,
                    stdout,
                    stderr
                  })
                )
            )
            child.stdin?.on("error", () => {})
            child.stdin?.end(input)
          }),
        write: (path: string, text: string, mode = 0o600) => {
          mkdirSync(dirname(at(path)), { recursive: true })
          writeFileSync(at(path), text, { mode })
          chmodSync(at(path), mode)
        },
        read: (path: string) => readFileSync(at(path), "utf8"),
        has: (path: string) => existsSync(at(path)),
        modeOf: (path: string) => statSync(at(path)).mode & 0o777
      }
    }
  )
