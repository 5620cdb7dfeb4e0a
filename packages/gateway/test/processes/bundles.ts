import { Effect } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { OutputAsset, OutputChunk } from "rolldown"
import { bundleOf } from "../../../../scripts/packages/processes.ts"
import { repository } from "./children.ts"

/** What stories start by the dozen: a process reads a few files of it instead of a thousand, and is up in half the time. */
const programs = {
  gateway: "packages/gateway/src/main.ts",
  rekey: "packages/gateway/src/rekey.ts",
  earlier: "packages/gateway/test/processes/earlier.ts",
  cloud: "packages/simulator/src/main.ts"
}

const cache = join(repository, "node_modules/.cache/programs")

/** The bundle's directory, by its content: what runs from it is never written again. */
const write = (files: ReadonlyArray<OutputChunk | OutputAsset>): string => {
  const contents = files.map((_) => [_.fileName, _.type === "chunk" ? _.code : _.source] as const)
  const hash = createHash("sha256")
  for (const [name, content] of contents) hash.update(name).update(content)
  const directory = join(cache, hash.digest("hex").slice(0, 16))
  if (existsSync(directory)) return directory
  mkdirSync(cache, { recursive: true })
  removeOld()
  const draft = mkdtempSync(join(cache, "draft-"))
  for (const [name, content] of contents) {
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

const bundle = async (): Promise<string> => write(await bundleOf(programs, repository))

let bundled: Promise<string> | undefined

/** The path of the program in one piece. It is made once in a test run's worker. */
export const programOf = (name: keyof typeof programs): Effect.Effect<string> =>
  Effect.promise(async () => join(await (bundled ??= bundle()), `${name}.mjs`))
