import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

// Prints the licences of the packages that are installed in node_modules, each once: name, version, the licence's name,
// and its text if the package has one. The image has it as licences.txt, beside the bill of materials.

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string | { readonly type?: string }
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const isPackage = (folder: string): boolean => readdirSync(folder).includes("package.json")

/** The packages of a node_modules folder, and of those that lie in packages. Links lead to this repository's own. */
const packagesIn = (modules: string): ReadonlyArray<string> =>
  readdirSync(modules, { withFileTypes: true })
    .filter((_) => _.isDirectory() && !_.name.startsWith("."))
    .flatMap(({ name }) => {
      const folder = join(modules, name)
      if (name.startsWith("@")) return packagesIn(folder)
      const within = readdirSync(folder).includes("node_modules") ? packagesIn(join(folder, "node_modules")) : []
      return isPackage(folder) ? [folder, ...within] : within
    })

const textOf = (folder: string): string => {
  const file = readdirSync(folder).find((_) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(_))
  return file === undefined ? "The package has no file with the text." : readFileSync(join(folder, file), "utf8").trim()
}

const entries = packagesIn(join(import.meta.dirname, "../../node_modules")).map((folder) => {
  const { license, name, version } = manifestOf(folder)
  const named = typeof license === "string" ? license : license?.type
  if (named === undefined) throw new Error(`${name} ${version} names no licence`)
  return `${name} ${version} (${named})\n\n${textOf(folder)}\n`
})

process.stdout.write([...new Set(entries)].toSorted().join(`\n${"-".repeat(80)}\n\n`))
