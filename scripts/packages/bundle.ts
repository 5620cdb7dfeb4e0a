import { createHash } from "node:crypto"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown"
import { licencesOf } from "./licences.ts"
import type { Package, Versions } from "./workspace.ts"

// A package of programs is published as one file without dependencies, instead of module by module.

const entry = "\0programs"
const builtin = "\0builtin:"

/** What all the programs of the package are started by. Each is loaded when it is started. */
const entryOf = (source: string, bin: Versions): string => {
  const programs = Object.entries(bin).map(
    ([name, path]) => `${JSON.stringify(name)}: () => import(${JSON.stringify(join(source, path))})`
  )
  return `export default { ${programs.join(", ")} }`
}

/** Node's own modules are loaded with the module that imports them: some take long, and most runs need few of them. */
const programs = ({ manifest, source }: Package): Plugin => ({
  name: "programs",
  resolveId(id, importer) {
    if (id === entry) return id
    if (!isBuiltin(id)) return undefined
    return importer?.startsWith(builtin) === true ? { id, external: true } : { id: builtin + id }
  },
  load(id) {
    if (id === entry) return entryOf(source, manifest.bin ?? {})
    if (!id.startsWith(builtin)) return undefined
    return `module.exports = require(${JSON.stringify(id.slice(builtin.length))})`
  }
})

/** The catalogue of operations is made from the contract's document once, here, and not with every start. */
const computed = ({ source }: Package): Plugin => {
  const module = join(source, "src/catalog/catalog.ts")
  return {
    name: "computed",
    async load(id) {
      if (id !== module) return undefined
      const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(id).href)
      const lines = Object.entries(exported).map(
        ([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))})`
      )
      return { code: lines.join("\n"), moduleType: "js" }
    }
  }
}

/** With its lines, which an uncaught error shows. */
const small = { compress: true, mangle: true, codegen: { removeWhitespace: false } }

const chunkOf = async (input: string, plugins: ReadonlyArray<Plugin>, output: OutputOptions) => {
  const build = await rolldown({
    input,
    platform: "node",
    plugins: [...plugins],
    // A UMD module, which is the `main` of some libraries, hides from the bundler what it requires.
    resolve: { mainFields: ["module", "main"] },
    transform: { target: "node20", define: { "import.meta": "{}" } },
    onLog: (level, log) => {
      if (level === "warn") throw new Error(log.message)
    }
  })
  const { output: chunks } = await build.generate({ format: "cjs", codeSplitting: false, comments: false, ...output })
  await build.close()
  const [chunk] = chunks
  // What is imported at run time would not be there.
  const missing = [...chunk.imports, ...chunk.dynamicImports].filter((_) => !isBuiltin(_) && _ !== chunk.fileName)
  if (chunks.length > 1 || missing.length > 0) throw new Error(`${input} is not one file: ${missing.join(", ")}`)
  return chunk
}

/** As a literal of ASCII alone, which V8 keeps in half the memory. */
const literal = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^\x20-\x7E]/g, (_) => `\\u${_.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** In the program too, where what is no ASCII stands in literals and patterns. */
const asciiOf = (code: string): string =>
  code.replaceAll(/[^\n\t\x20-\x7E]/g, (_) => `\\u${_.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The launcher with what it starts. */
const complete = (launcher: OutputChunk, program: OutputChunk, main: string): string => {
  const source = `(function (require) { const module = { exports: {} };\n${asciiOf(program.code)}\nreturn module.exports })`
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 16)
  const values: Readonly<Record<string, string>> = { SOURCE: source, HASH: hash, MAIN: main }
  return launcher.code.replaceAll(/\b(SOURCE|HASH|MAIN)\b/g, (name) => literal(values[name] ?? ""))
}

/** Another program of the package, which the first one's file has too. */
const alias = (main: string, name: string): string =>
  `#!/usr/bin/env node\nrequire("./${main}.js").start(${JSON.stringify(name)})\n`

/** The files of a package of programs by their names: the programs, and the licences of the libraries that they consist of. */
export const programsOf = async (one: Package): Promise<ReadonlyArray<readonly [name: string, text: string]>> => {
  const names = Object.keys(one.manifest.bin ?? {})
  // The program with the shortest name is the command line itself; the others are its helpers.
  const [main = "", ...others] = names.toSorted((a, b) => a.length - b.length)
  const program = await chunkOf(entry, [programs(one), computed(one)], { minify: small })
  const launcher = await chunkOf(join(import.meta.dirname, "launcher.ts"), [], {})
  return [
    [`${main}.js`, `#!/usr/bin/env node\n${complete(launcher, program, main)}`],
    ...others.map((name) => [`${name}.js`, alias(main, name)] as const),
    ["licences.txt", licencesOf(Object.keys(program.modules))]
  ]
}
