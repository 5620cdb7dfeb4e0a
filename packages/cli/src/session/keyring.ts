import { Effect } from "effect"
import { spawn } from "node:child_process"
import process from "node:process"

/** The system's keyring, by its own program. Undefined where none is known. */
export interface Keyring {
  readonly read: (account: string) => Effect.Effect<string | undefined, KeyringProblem>
  readonly write: (account: string, secret: string) => Effect.Effect<void, KeyringProblem>
  readonly remove: (account: string) => Effect.Effect<void, KeyringProblem>
}

export interface KeyringProblem {
  readonly _tag: "KeyringProblem"
  readonly reason: string
}

const problem = (reason: string): KeyringProblem => ({ _tag: "KeyringProblem", reason })

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program to its end, without a shell and with its secrets on standard input, where no list of processes shows
 * them. A keyring that is locked asks its user in a window of its own.
 */
const ran = (program: string, args: ReadonlyArray<string>, input: string, seconds: number) =>
  Effect.callback<Ended, KeyringProblem>((resume) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] })
    const told = { stdout: "", stderr: "" }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      resume(Effect.fail(problem(`${program} did not answer for ${seconds} seconds`)))
    }, seconds * 1000)
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => void (told[stream] += text))
    }
    child.on("error", ({ message }) => {
      clearTimeout(timer)
      resume(Effect.fail(problem(message)))
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      resume(Effect.succeed({ code, ...told }))
    })
    // A program that ended already does not read.
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
    return Effect.sync(() => {
      clearTimeout(timer)
      child.kill()
    })
  })

/** As long as a person takes to unlock the keyring. */
const patience = 60

const service = "portico"

const succeeded = ({ code, stderr }: Ended): Effect.Effect<void, KeyringProblem> =>
  code === 0 ? Effect.void : Effect.fail(problem(stderr.trim() === "" ? `it ended with code ${code}` : stderr.trim()))

const secretTool = (seconds: number): Keyring => {
  const attributes = (account: string) => ["service", service, "account", account]
  return {
    // Code 1 without a word is the answer for a secret that is not there.
    read: (account) =>
      Effect.flatMap(ran("secret-tool", ["lookup", ...attributes(account)], "", seconds), (ended) =>
        ended.code === 1 && ended.stderr.trim() === ""
          ? Effect.succeed(undefined)
          : Effect.as(succeeded(ended), ended.stdout)
      ),
    write: (account, secret) =>
      Effect.flatMap(
        ran("secret-tool", ["store", "--label", `Portico: ${account}`, ...attributes(account)], secret, seconds),
        succeeded
      ),
    remove: (account) =>
      Effect.flatMap(ran("secret-tool", ["clear", ...attributes(account)], "", seconds), (ended) =>
        ended.code === 1 && ended.stderr.trim() === "" ? Effect.void : succeeded(ended)
      )
  }
}

/** The longest line that the program reads in its interactive mode. */
const longest = 4000

/** Of a secret that is not there. */
const notFound = 44

/** The secret is encoded, because a command line of the program's interactive mode quotes nothing. */
const security = (seconds: number): Keyring => ({
  read: (account) =>
    Effect.flatMap(
      ran("/usr/bin/security", ["find-generic-password", "-s", service, "-a", account, "-w"], "", seconds),
      (ended) =>
        ended.code === notFound
          ? Effect.succeed(undefined)
          : Effect.as(succeeded(ended), Buffer.from(ended.stdout.trim(), "base64url").toString())
    ),
  write: (account, secret) => {
    const encoded = Buffer.from(secret).toString("base64url")
    const line = `add-generic-password -U -s ${service} -a "${account}" -w ${encoded}\n`
    return line.length > longest
      ? Effect.fail(problem("the tokens are too long for it"))
      : Effect.flatMap(ran("/usr/bin/security", ["-i"], line, seconds), succeeded)
  },
  remove: (account) =>
    Effect.flatMap(
      ran("/usr/bin/security", ["delete-generic-password", "-s", service, "-a", account], "", seconds),
      (ended) => (ended.code === notFound ? Effect.void : succeeded(ended))
    )
})

const keyringOf = (seconds: number): Keyring | undefined => {
  if (process.platform === "darwin") return security(seconds)
  return process.platform === "linux" ? secretTool(seconds) : undefined
}

export const keyring = keyringOf(patience)

/** Whether a keyring answers, and soon: without a session bus its program may wait for one for long. */
export const hasKeyring: Effect.Effect<boolean> = Effect.suspend(
  () => keyringOf(2)?.read("probe") ?? Effect.fail(problem("none"))
).pipe(
  Effect.as(true),
  Effect.orElseSucceed(() => false)
)
