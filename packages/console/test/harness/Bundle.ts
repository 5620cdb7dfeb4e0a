import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "vite"
import { configOf, type PlaneName } from "../../build/vite.ts"

const home = fileURLToPath(new URL("../..", import.meta.url))

/** A file of Vite's manifest. */
interface Chunk {
  readonly file: string
  readonly css?: ReadonlyArray<string>
  /** By their names in the manifest. */
  readonly imports?: ReadonlyArray<string>
}

/** Makes what `npm start` serves, unless it is there. */
export const built = (): Promise<unknown> => promisify(execFile)(process.execPath, [join(home, "build/build.ts")])

/** One plane's console, as the gateway serves it. */
export class Bundle {
  readonly folder: string

  constructor(plane: PlaneName) {
    this.folder = join(home, "dist", plane)
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8")
  }

  /** Everything but the compressed variants. */
  get names(): ReadonlyArray<string> {
    const files = globSync("**/*", { cwd: this.folder, withFileTypes: true }).filter((_) => _.isFile())
    const names = files.map((_) => join(_.parentPath, _.name).slice(this.folder.length + 1))
    return names.filter((_) => !/\.(br|gz)$/.test(_))
  }

  /** What browsers get of a file. */
  compressed(name: string): number {
    return readFileSync(join(this.folder, `${name}.br`)).length
  }

  /** What is loaded before something of the page is shown: the start page, its scripts and styles, and those of a page. */
  firstView(page: RegExp): ReadonlyArray<string> {
    const manifest: Readonly<Record<string, Chunk>> = JSON.parse(this.read(".vite/manifest.json"))
    const files = new Set(["index.html"])
    const follow = (key: string): void => {
      const chunk = manifest[key]
      if (chunk === undefined || files.has(chunk.file)) return
      files.add(chunk.file)
      for (const file of chunk.css ?? []) files.add(file)
      for (const next of chunk.imports ?? []) follow(next)
    }
    follow("index.html")
    for (const key of Object.keys(manifest)) if (page.test(basename(key))) follow(key)
    return [...files]
  }
}

/** The sources that are in a plane's console, as paths below `packages/console`. */
export const modulesOf = async (plane: PlaneName): Promise<ReadonlyArray<string>> => {
  const config = configOf(plane, join(home, "dist.unwritten"))
  const result = await build({ ...config, build: { ...config.build, write: false } })
  const outputs = [result].flat().flatMap((_) => ("output" in _ ? _.output : []))
  const ids = outputs.flatMap((_) => (_.type === "chunk" ? _.moduleIds : []))
  return ids.filter((_) => _.startsWith(home)).map((_) => _.slice(home.length))
}
