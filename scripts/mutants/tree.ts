import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Candidate } from "./Mutant.ts"
import { parse } from "./syntax.ts"

const folder = ".portico/mutants"
const noteFile = (tree: string, name: string): string => join(tree, folder, name)

/**
 * Whether a mutant is the active one. It is written into each mutated file, because that needs no import: the code of
 * some packages runs in browsers, and the files import each other in circles only for types. A process reads the
 * active one as it starts, so the processes that tests start have the same one. Without an active one it notes which
 * mutants the current test file reaches.
 */
const question = (root: string): string =>
  `\nfunction __mutant(asked) { return (globalThis.__mutants ??= (() => {
  const fs = globalThis.process?.getBuiltinModule?.("node:fs")
  const read = (name) => { try { return fs.readFileSync(${JSON.stringify(`${root}/${folder}/`)} + name, "utf8") } catch { return undefined } }
  const active = fs && read("active")
  if (active === undefined) return () => false
  if (active !== "") return (id) => id === Number(active)
  const seen = globalThis.__mutantsReached = new Set()
  return (id) => {
    if (!seen.has(id)) { seen.add(id); try { fs.appendFileSync(${JSON.stringify(`${root}/${folder}/reached`)}, id + " " + read("current") + "\\n") } catch {} }
    return false
  }
})())(asked) }\n`

/** Says which test file runs, and whether it is being loaded; a module that stays loaded is not loaded again for the next file. */
const setup = (root: string): string => `import { writeFileSync } from "node:fs"
import { beforeAll } from "vitest"
const begin = (phase) => {
  writeFileSync(${JSON.stringify(`${root}/${folder}/current`)}, phase + " " + globalThis.__vitest_worker__.filepath)
  globalThis.__mutantsReached?.clear()
}
begin("load")
beforeAll(() => begin("run"))
`

/**
 * The tests as they are set up, and in the order in which they are asked for. Vite loads the modules, because Node does
 * not tell which modules a file has.
 */
const config = (root: string): string => `import base from "./vitest.workspace.ts"
class Given { async sort(files) { return files } async shard(files) { return files } }
const setup = ${JSON.stringify(`${root}/${folder}/setup.ts`)}
const projects = base.test.projects.map(({ test }) => ({ test: { ...test, experimental: {}, setupFiles: [...test.setupFiles, setup] } }))
export default { ...base, test: { ...base.test, sequence: { sequencer: Given }, projects } }
`

/** The text of a place with its mutants; one mutant is active at most, so what replaces a place has none inside. */
const written = (
  text: string,
  start: number,
  end: number,
  mutants: ReadonlyArray<Candidate & { readonly id: number }>
): string => {
  const [outer, ...rest] = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end)
  if (outer === undefined) return text.slice(start, end)
  const inner = rest.filter((_) => _.start < outer.end)
  const original = written(text, outer.start, outer.end, inner)
  const chosen =
    outer.mutated === ""
      ? `...(__mutant(${outer.id}) ? [] : [${original}])`
      : `${outer.kind === "statement" ? "void " : ""}(__mutant(${outer.id}) ? (${outer.mutated}) : ${original})`
  const after = rest.filter((_) => _.start >= outer.end)
  return text.slice(start, outer.start) + chosen + written(text, outer.end, end, after)
}

/**
 * Copies the last commit with every mutant in it, of which {@link activate} chooses one or none, and with links to the
 * installed packages.
 */
export const plant = (root: string, from: string, mutants: ReadonlyArray<Candidate>): string => {
  execFileSync("git", ["clone", "--quiet", "--shared", from, root])
  execFileSync("cp", ["--archive", "--link", join(from, "node_modules"), root])
  cpSync(join(from, "scripts/mutants"), join(root, "scripts/mutants"), { recursive: true })
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(noteFile(root, "setup.ts"), setup(root))
  writeFileSync(join(root, "mutants.config.ts"), config(root))
  const numbered = mutants.map((_, id) => ({ ..._, id }))
  for (const [file, those] of Map.groupBy(numbered, (_) => _.file)) {
    const text = readFileSync(join(root, file), "utf8")
    const mutated = written(text, 0, text.length, those) + question(root)
    parse(mutated)
    writeFileSync(join(root, file), mutated)
  }
  return root
}

/** Chooses the mutant that processes which start from now on have. */
export const activate = (root: string, id: number | undefined): void => {
  writeFileSync(noteFile(root, "active"), id === undefined ? "" : String(id))
  if (id === undefined) writeFileSync(noteFile(root, "reached"), "")
}

/** The mutants that were reached since none is active, with the test file, and whether it was being loaded. */
export const notesOf = (root: string) =>
  [...readFileSync(noteFile(root, "reached"), "utf8").matchAll(/^(\d+) (load|run) (.*)$/gm)].map(
    ([, id, phase, file = ""]) => ({ id: Number(id), isLoading: phase === "load", file: file.slice(root.length + 1) })
  )
