import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { build } from "vite"
import { configOf, type PlaneName } from "./vite.ts"

/**
 * Builds the console of both planes into `dist/{customer,operator}`, unless
 * what is there was made of the same sources: `node build/build.ts`.
 */
const home = fileURLToPath(new URL("..", import.meta.url))
const dist = join(home, "dist")
const stamp = join(dist, "sources.sha256")
const planes: ReadonlyArray<PlaneName> = ["customer", "operator"]

const sources = [
  "index.html",
  "package.json",
  "build/*.ts",
  "src/**/*",
  "../client/src/**/*.ts",
  "../contract/src/**/*.ts",
  "../contract/openapi.*.json"
]

const digest = (): string => {
  const hash = createHash("sha256")
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: home, withFileTypes: true }))
  const paths = files.filter((_) => _.isFile()).map((_) => join(_.parentPath, _.name))
  for (const path of paths.toSorted()) hash.update(path.slice(home.length)).update(readFileSync(path))
  return hash.digest("hex")
}

/** Beside each file, what the gateway sends to browsers that take it compressed. */
const compress = (folder: string): void => {
  for (const name of globSync("**/*.{html,js,css,svg,json}", { cwd: folder })) {
    const content = readFileSync(join(folder, name))
    writeFileSync(
      join(folder, `${name}.br`),
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } })
    )
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
}

const current = digest()
const isBuilt = existsSync(stamp) && readFileSync(stamp, "utf8") === current

if (!isBuilt) {
  // Another process may build at the same time: each makes its own, and the last one that is whole stays.
  const draft = join(home, `dist.${process.pid}`)
  for (const plane of planes) {
    await build(configOf(plane, join(draft, plane)))
    compress(join(draft, plane))
  }
  writeFileSync(join(draft, "sources.sha256"), current)
  const before = join(home, `dist.${process.pid}.before`)
  if (existsSync(dist)) renameSync(dist, before)
  mkdirSync(home, { recursive: true })
  renameSync(draft, dist)
  rmSync(before, { recursive: true, force: true })
}
