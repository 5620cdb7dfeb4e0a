import { Effect } from "effect"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { bundleOf } from "../../../../scripts/packages/processes.ts"
import { repository } from "./children.ts"

/** What stories start by the dozen: a process reads a few files of it instead of a thousand, and is up in half the time. */
const programs = {
  gateway: "packages/gateway/src/main.ts",
  start: "packages/gateway/src/start.ts",
  rekey: "packages/gateway/src/rekey.ts",
  earlier: "packages/gateway/test/processes/earlier.ts",
  cloud: "packages/simulator/src/main.ts"
}

const cache = join(repository, "node_modules/.cache/programs")

/** The directory of programs with these files, by their content: what runs from it is never written again. */
export const placed = (files: ReadonlyArray<readonly [name: string, content: string | Uint8Array]>): string => {
  const hash = createHash("sha256")
  for (const [name, content] of files) hash.update(name).update(content)
  const directory = join(cache, hash.digest("hex").slice(0, 16))
  if (existsSync(directory)) return directory
  mkdirSync(cache, { recursive: true })
  removeOld()
  const draft = mkdtempSync(join(cache, "draft-"))
  // A story may start a program as another user, who has to be able to read it.
  chmodSync(draft, 0o755)
  for (const [name, content] of files) {
    mkdirSync(dirname(join(draft, name)), { recursive: true })
    writeFileSync(join(draft, name), content)
  }
  try {
    renameSync(draft, directory)
  } catch (error) {
    // Another worker was faster.
    if (!existsSync(directory)) throw error
    rmSync(draft, { recursive: true })
  }
  return directory
}

const removeOld = (): void => {
  const dayAgo = Date.now() - 86_400_000
  for (const name of readdirSync(cache)) {
    if (statSync(join(cache, name)).mtimeMs < dayAgo) rmSync(join(cache, name), { recursive: true, force: true })
  }
}

const bundle = async (): Promise<string> => {
  const files = await bundleOf(programs, repository)
  return placed(files.map((_) => [_.fileName, _.type === "chunk" ? _.code : _.source]))
}

let bundled: Promise<string> | undefined

/** The path of the program in one piece. It is made once in a test run's worker. */
export const programOf = (name: keyof typeof programs): Effect.Effect<string> =>
  Effect.promise(async () => join(await (bundled ??= bundle()), `${name}.mjs`))
