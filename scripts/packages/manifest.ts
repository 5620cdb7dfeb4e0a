import type { Versions } from "./workspace.ts"

/** The oldest Node that has all that the packages use; why is in docs/developers/packages.md. A package may name another. */
export const engines = { node: ">=22.21.0" }

const built = (path: string): string => path.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1.js")

const declared = (path: string): string => path.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1.d.ts")

const isSource = (path: string): boolean => /^\.\/src\/.*\.ts$/.test(path)

/** `exports` of the sources as those of what is built: JavaScript with its types. Anything else stays as it is. */
export const exportsOf = (given: unknown): unknown => {
  if (typeof given === "string") {
    return isSource(given) ? { types: declared(given), default: built(given) } : given
  }
  if (Array.isArray(given)) return given.map(exportsOf)
  if (typeof given !== "object" || given === null) return given
  return Object.fromEntries(
    Object.entries(given).map(([key, _]) => [
      key,
      key === "types" && typeof _ === "string" ? declared(_) : exportsOf(_)
    ])
  )
}

/** The programs of a package, as paths without the leading `./`, which npm would take away with a warning. */
export const binOf = (bin: Versions): Versions =>
  Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, built(path).replace(/^\.\//, "")]))

/** The fields by which a registry finds the source. npm compares them with the repository that builds the package. */
export const sourceOf = (url: string | undefined, folder: string) => {
  if (url === undefined) return {}
  const web = webOf(url)
  return {
    homepage: `${web}/tree/main/packages/${folder}#readme`,
    bugs: { url: `${web}/issues` },
    repository: { type: "git", url: `git+${web}.git`, directory: `packages/${folder}` }
  }
}

/** `git@host:owner/name.git`, `ssh://git@host/owner/name` and `https://…` as an https address without credentials. */
export const webOf = (url: string): string =>
  url
    .replace(/^git\+/, "")
    .replace(/^[^/@]+@([^/:]+):/, "https://$1/")
    .replace(/^(ssh|git|https?):\/\/([^/@]*@)?/, "https://")
    .replace(/(\.git)?\/?$/, "")
