import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readManifest } from "./workspace.ts"

/** The folder of the library that a file belongs to. Files outside of node_modules are ours. */
const libraryOf = (file: string): string | undefined =>
  /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file.replaceAll("\\", "/"))?.[0]

const textOf = (folder: string): string => {
  const file = readdirSync(folder).find((_) => /^(licen[cs]e|copying)(\.|$)/i.test(_))
  return file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()
}

/** The licences of the libraries that a bundle consists of. Each library must have one. */
export const licencesOf = (modules: ReadonlyArray<string>): string => {
  const folders = new Set(modules.map(libraryOf).filter((_) => _ !== undefined))
  const libraries = [...folders].map((folder) => {
    const { license, name, version } = readManifest(folder)
    const text = textOf(folder)
    if (text === "") throw new Error(`${name} comes without the text of its licence.`)
    return `${name} ${version} (${String(license)})\n\n${text}\n`
  })
  return `This program consists of parts of these libraries.\n\n${libraries.toSorted().join(`\n${"-".repeat(80)}\n\n`)}`
}
