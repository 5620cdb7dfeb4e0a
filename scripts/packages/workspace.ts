import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Everything that is built. It is not committed. */
export const dist = join(repository, "dist")

/** What `npm pack` makes of the packages. */
export const tarballs = join(dist, "tarballs")

export type Versions = Readonly<Record<string, string>>

/** The fields of a package.json that the build looks at. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly exports?: unknown
  readonly bin?: Versions
  readonly engines?: { readonly node: string }
  readonly [field: string]: unknown
}

export interface Package {
  /** Its folder in `packages` and in `dist`. */
  readonly folder: string
  readonly source: string
  readonly target: string
  readonly manifest: Manifest
}

export const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

export const root = readManifest(repository)

/** The console is pages that the gateway serves: nobody imports or starts anything of it. */
const isPublished = ({ manifest: { bin, exports } }: Package): boolean =>
  bin !== undefined || JSON.stringify(exports ?? {}).includes("./src/")

/** What is published: all of `packages` that has modules or programs. */
export const packages: ReadonlyArray<Package> = readdirSync(join(repository, "packages"))
  .map((folder) => {
    const source = join(repository, "packages", folder)
    return { folder, source, target: join(dist, folder), manifest: readManifest(source) }
  })
  .filter(isPublished)

/** Whether nothing of a package is meant to be imported: it is published as a program in one file. */
export const isProgram = ({ manifest: { bin, exports } }: Package): boolean =>
  bin !== undefined && !JSON.stringify(exports ?? {}).includes("./src/")

/** Where `npm pack` puts a package. */
export const tarballOf = ({ name, version }: Manifest): string =>
  join(tarballs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)

/** The files below a folder, as paths relative to it. */
export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((_) => _.isFile())
    .map((_) => join(_.parentPath, _.name).slice(folder.length + 1))
