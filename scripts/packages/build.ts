import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { programsOf } from "./bundle.ts"
import { dependenciesOf } from "./dependencies.ts"
import { binOf, engines, exportsOf, sourceOf } from "./manifest.ts"
import { referencesOf } from "./modules.ts"
import { dist, filesIn, isProgram, type Manifest, type Package, packages, repository, root } from "./workspace.ts"

// `npm run build`: what is published of each package, in a folder of `dist` of its own.

const compiled = join(dist, "compiled")

const own = Object.fromEntries(packages.map(({ manifest: { name, version } }) => [name, version]))

/** The first sentence behind the heading of a README. */
const sentenceOf = (readme: string): string =>
  /^#[^\n]*\n+(.*?)\.(?=\s)/s.exec(readme)?.[1]?.replace(/\s+/g, " ").replaceAll(/[`*]/g, "") ?? ""

/** The repository in the workspace's package.json, or the one that this clone comes from. */
const repositoryUrl = (): string | undefined => {
  const { repository: given } = root
  if (typeof given === "string") return given
  const [remote] = run("git", ["remote"]).split("\n")
  return remote === undefined || remote === "" ? undefined : run("git", ["remote", "get-url", remote]).trim()
}

const run = (command: string, args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd: repository, encoding: "utf8" })

const compile = (): void => {
  const tsc = join(repository, "node_modules/typescript/bin/tsc")
  execFileSync(process.execPath, [tsc, "-p", join(import.meta.dirname, "tsconfig.json")], { stdio: "inherit" })
}

const isCode = (file: string): boolean => /\.[cm]?tsx?$/.test(file)

/** Sources, what was compiled of them, and whatever else lies among the sources. */
const place = ({ folder, source, target }: Package): void => {
  const from = join(source, "src")
  mkdirSync(target, { recursive: true })
  renameSync(join(compiled, folder, "src"), join(target, "dist"))
  cpSync(from, join(target, "src"), { recursive: true })
  cpSync(from, join(target, "dist"), { recursive: true, filter: (_) => !isCode(_) })
  cpSync(join(repository, "LICENSE"), join(target, "LICENSE"))
  cpSync(join(source, "README.md"), join(target, "README.md"))
}

/** Maps lead from `dist` to the sources beside it. */
const mapped = (target: string, file: string, text: string): string => {
  const map: { sources: ReadonlyArray<string> } = JSON.parse(text)
  const code = join(target, "src", dirname(relative(join(target, "dist"), file)))
  map.sources = map.sources.map((_) => relative(dirname(file), join(code, basename(_))))
  return JSON.stringify(map)
}

/** Corrects what the compiler leaves as it was, and says what the package imports. */
const finish = ({ target }: Package) => {
  const modules = new Set<string>()
  const types = new Set<string>()
  for (const name of filesIn(join(target, "dist"))) {
    const file = join(target, "dist", name)
    if (name.endsWith(".map")) writeFileSync(file, mapped(target, file, readFileSync(file, "utf8")))
    if (!/\.(js|d\.ts)$/.test(name)) continue
    const references = referencesOf(file, readFileSync(file, "utf8"))
    writeFileSync(file, references.text)
    for (const _ of references.modules) modules.add(_)
    if (name.endsWith(".d.ts")) for (const _ of references.modules) types.add(_)
  }
  return { modules, types }
}

/** Files that `exports` names outside of the sources. */
const assetsOf = ({ manifest, source }: Package): ReadonlyArray<string> =>
  targetsOf(manifest.exports)
    .map((_) => _.replace(/^\.\//, ""))
    .filter((_) => !_.startsWith("src/") && _ !== "package.json" && existsSync(join(source, _)))

const targetsOf = (exports: unknown): ReadonlyArray<string> => {
  if (typeof exports === "string") return [exports]
  return typeof exports === "object" && exports !== null ? Object.values(exports).flatMap(targetsOf) : []
}

/** Fields of the sources alone. Dependencies are read off the built files. */
const unpublished = [
  "private",
  "scripts",
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies"
]

const without = (manifest: Manifest, fields: ReadonlyArray<string>): Manifest => ({
  ...manifest,
  ...Object.fromEntries(fields.map((_) => [_, undefined]))
})

/** What every published package.json says. */
const describe = ({ folder, manifest, source }: Package, url: string | undefined): Manifest => {
  const { bin, exports: _, name, version, ...rest } = without(manifest, unpublished)
  return {
    name,
    version,
    description: sentenceOf(readFileSync(join(source, "README.md"), "utf8")),
    ...rest,
    ...sourceOf(url, folder),
    ...(bin === undefined ? {} : { bin: binOf(bin) }),
    engines: manifest.engines ?? engines,
    // Whoever installs it can see which commit and which run of the pipeline it comes from.
    publishConfig: { access: "public", provenance: true }
  }
}

const publishModules = (one: Package, url: string | undefined): Manifest => {
  const { manifest, source, target } = one
  place(one)
  const imports = finish(one)
  const assets = assetsOf(one)
  for (const asset of assets) cpSync(join(source, asset), join(target, asset), { recursive: true })
  const { exports } = manifest
  return {
    ...describe(one, url),
    ...(typeof exports === "object"
      ? { exports: { ...Object(exportsOf(exports)), "./package.json": "./package.json" } }
      : {}),
    files: ["dist", "src", ...assets],
    ...dependenciesOf(manifest, imports, { root, own })
  }
}

const publishProgram = async (one: Package, url: string | undefined): Promise<Manifest> => {
  const { manifest, source, target } = one
  mkdirSync(join(target, "dist"), { recursive: true })
  for (const [name, text] of await programsOf(one)) writeFileSync(join(target, "dist", name), text)
  for (const file of [join(repository, "LICENSE"), join(source, "README.md")])
    cpSync(file, join(target, basename(file)))
  const bin = Object.fromEntries(Object.keys(manifest.bin ?? {}).map((name) => [name, `dist/${name}.js`]))
  return { ...describe(one, url), type: "commonjs", bin, exports: manifest.exports, files: ["dist"] }
}

const publish = async (one: Package, url: string | undefined): Promise<void> => {
  const published = await (isProgram(one) ? publishProgram(one, url) : publishModules(one, url))
  writeFileSync(join(one.target, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`)
  for (const path of Object.values(published.bin ?? {})) chmodSync(join(one.target, path), 0o755)
}

rmSync(dist, { recursive: true, force: true })
compile()
const url = repositoryUrl()
for (const one of packages) await publish(one, url)
rmSync(compiled, { recursive: true })
console.log(`Built in ${relative(process.cwd(), dist)}: ${packages.map((_) => _.manifest.name).join(", ")}.`)
if (url === undefined) {
  console.warn(
    "This clone has no remote, so the packages name no repository. npm publishes none of them with provenance."
  )
}
