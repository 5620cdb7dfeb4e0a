import type { ConsolePlane } from "@portico/store/ConsoleSessions"
import { Config, Context, Effect, Layer, Semaphore } from "effect"
import { readdir, readFile, stat } from "node:fs/promises"
import { extname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { type Encoding, type Variant, variantOf } from "../middleware/variants.ts"

/** A file of the console in memory, with the encodings that the build has made. */
export interface ConsoleFile {
  readonly type: string
  readonly plain: Variant
  readonly br: Variant
  readonly gzip: Variant
}

/** By path below `/console/`, such as `assets/main-3f2a.js`. */
export interface Bundle {
  readonly start: ConsoleFile
  readonly files: ReadonlyMap<string, ConsoleFile>
}

const startPage = "index.html"

/** Beside the packages, where the console's build writes it. The image, whose gateway is a bundle, sets CONSOLE_DIR. */
const usualDirectory = fileURLToPath(new URL("../../../console/dist", import.meta.url))

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2"
}

const extensions = { br: ".br", gzip: ".gz" } as const

/**
 * The files of the consoles, whole in memory: a table from path to bytes, so that no request names a file of the disk.
 * A build that appears or changes while the gateway runs is taken up with the next reading of a start page.
 */
export class ConsoleFiles extends Context.Service<
  ConsoleFiles,
  {
    /** The bundle of a plane, as it was last read; undefined while there is none. */
    known(plane: ConsolePlane): Bundle | undefined
    /** The same, after a look whether the build has changed. */
    current(plane: ConsolePlane): Effect.Effect<Bundle | undefined>
  }
>()("portico/gateway/console/ConsoleFiles") {
  static readonly layer = Layer.effect(
    ConsoleFiles,
    Effect.gen(function* () {
      const directory = yield* Config.String("CONSOLE_DIR").pipe(Config.withDefault(usualDirectory))
      const states = {
        customer: yield* stateOf(join(directory, "customer")),
        operator: yield* stateOf(join(directory, "operator"))
      }
      for (const state of Object.values(states)) {
        if ((yield* state.current) === undefined) {
          yield* Effect.logInfo("a console answers 404 until there is a build of it", { directory: state.folder })
        }
      }
      return ConsoleFiles.of({ known: (plane) => states[plane].known(), current: (plane) => states[plane].current })
    })
  )
}

/** The last bundle of a folder, with the version of its start page. The build writes the start page last. */
const stateOf = Effect.fnUntraced(function* (folder: string) {
  const reading = yield* Semaphore.make(1)
  let version = ""
  let bundle: Bundle | undefined
  const read = Effect.gen(function* () {
    const found = yield* versionOf(folder)
    if (found === undefined || found === version) return
    const next = yield* Effect.option(Effect.tryPromise(() => bundleOf(folder)))
    // A folder that the build is just writing is read again by the next request.
    if (next._tag === "None" || (yield* versionOf(folder)) !== found) return
    version = found
    bundle = next.value
  })
  return {
    folder,
    known: () => bundle,
    current: Effect.map(reading.withPermit(read), () => bundle)
  }
})

const versionOf = (folder: string): Effect.Effect<string | undefined> =>
  Effect.match(
    Effect.tryPromise(() => stat(join(folder, startPage), { bigint: true })),
    { onFailure: () => undefined, onSuccess: ({ ino, mtimeNs, size }) => `${ino} ${mtimeNs} ${size}` }
  )

const bundleOf = async (folder: string): Promise<Bundle> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((_) => _.isFile())
    .map((_) => join(_.parentPath, _.name).slice(folder.length + 1))
    // What the build writes for its own tests, with the names of all sources.
    .filter((_) => !_.startsWith("."))
  const all = new Set(names)
  const files = new Map<string, ConsoleFile>()
  for (const name of names) {
    const isEncoding = Object.values(extensions).some((_) => name.endsWith(_) && all.has(name.slice(0, -_.length)))
    if (!isEncoding) files.set(name.replaceAll(sep, "/"), await fileOf(folder, name, all))
  }
  const start = files.get(startPage)
  if (start === undefined) throw new Error(`there is no ${startPage}`)
  return { start, files }
}

const fileOf = async (folder: string, name: string, all: ReadonlySet<string>): Promise<ConsoleFile> => {
  const plain = variantOf(undefined, await readFile(join(folder, name)))
  const encoded = async (encoding: Encoding) => {
    const file = `${name}${extensions[encoding]}`
    return all.has(file) ? variantOf(encoding, await readFile(join(folder, file))) : plain
  }
  return {
    type: types[extname(name)] ?? "application/octet-stream",
    plain,
    br: await encoded("br"),
    gzip: await encoded("gzip")
  }
}
