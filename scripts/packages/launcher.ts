import fs from "node:fs"
import path from "node:path"
import vm from "node:vm"

// The outermost part of a published program, which the build completes. The program itself is in it as a text: V8 compiles
// that with what the last run has left in the cache, in a third of the time.

/** A function expression: with `require` it returns the programs by name. */
declare const SOURCE: string
declare const HASH: string
/** The program that the file itself is. */
declare const MAIN: string

/** A directory of the caller's own. Nothing is cached where there is none. */
const cacheDirectory = (): string | undefined => {
  const { HOME, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = "" } = process.env
  if (NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined
  if (path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, "portico/code")
  return HOME === undefined || !path.isAbsolute(HOME) ? undefined : path.join(HOME, ".cache/portico/code")
}

/** Code is taken only from a file that nobody else can have written: with sudo, the home may be another user's. */
const isOwn = ({ mode, uid }: fs.Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)

const read = (file: string): Buffer | undefined => {
  try {
    const descriptor = fs.openSync(file, "r")
    try {
      return isOwn(fs.fstatSync(descriptor)) ? fs.readFileSync(descriptor) : undefined
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

const thirtyDays = 30 * 24 * 3600 * 1000

const removeOld = (directory: string): void => {
  for (const name of fs.readdirSync(directory)) {
    const file = path.join(directory, name)
    if (fs.statSync(file).mtimeMs < new Date().getTime() - thirtyDays) fs.rmSync(file, { force: true })
  }
}

/** Another process reads all of it or nothing. A home that is full or read-only has no cache. */
const write = (file: string, data: Buffer): void => {
  const draft = `${file}.${process.pid}`
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(draft, data, { mode: 0o600, flag: "wx" })
    fs.renameSync(draft, file)
    removeOld(path.dirname(file))
  } catch {
    fs.rmSync(draft, { force: true })
  }
}

/** Runs one of the programs in the bundle. */
export const start = (program: string): void => {
  const directory = cacheDirectory()
  const file = directory && path.join(directory, `${HASH}-${process.version}-${process.arch}`)
  const cachedData = file === undefined ? undefined : read(file)
  const script = new vm.Script(SOURCE, { filename: __filename, ...(cachedData === undefined ? {} : { cachedData }) })
  if (file !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    // At the end it has the functions that were called, too.
    process.once("exit", () => write(file, script.createCachedData()))
  }
  script.runInThisContext()(require)[program]()
}

if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error(`This program needs Node 20 or later, and this is ${process.version}.`)
  process.exit(2)
}
if (require.main === module) start(MAIN)
