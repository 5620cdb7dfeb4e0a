import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Prints its arguments and its standard input as JSON. */
const program = `#!${process.execPath}
let stdin = ""
const say = () => console.log(JSON.stringify({ args: process.argv.slice(2), stdin }))
if (process.env.READS === "1") process.stdin.on("data", (_) => (stdin += _)).on("end", say)
else say()
`

const directory = mkdtempSync(join(tmpdir(), "portico-shells-"))
for (const name of ["curl", "portico"]) {
  writeFileSync(join(directory, name), program)
  chmodSync(join(directory, name), 0o755)
}

export interface Started {
  readonly args: ReadonlyArray<string>
  readonly stdin: string
}

export const token = "a token that is in no text"

/** What a program gets when a shell runs a text in which it stands. */
export const startedBy = (shell: string, text: string): Started => {
  const env = {
    PATH: `${directory}:/usr/bin:/bin`,
    PORTICO_TOKEN: token,
    PASSWORD: "a password",
    READS: text.includes("<<'END'") ? "1" : "0"
  }
  return JSON.parse(execFileSync(shell, ["-c", text], { env, encoding: "utf8", input: "" }))
}

/** The words of a text, without a process for each: the shell ends every word with a NUL. */
export const wordsIn = (shell: string, text: string): ReadonlyArray<string> =>
  execFileSync(shell, ["-c", `printf '%s\\0' ${text}`], { encoding: "utf8", input: "" })
    .split("\0")
    .slice(0, -1)
