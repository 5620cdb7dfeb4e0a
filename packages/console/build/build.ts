import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { alone } from "./alone.ts"
import type { PlaneName } from "./vite.ts"

/**
 * Builds the console of both planes into `dist/{customer,operator}`, unless
 * what is there was made of the same sources: `node build/build.ts`.
 *
 * Any number may run at once, and a gateway may read in between: one builds and
 * the others wait for it, and what is there is replaced as a whole.
 */
const home = fileURLToPath(new URL("..", import.meta.url))
const dist = join(home, "dist")
const planes: ReadonlyArray<PlaneName> = ["customer", "operator"]

const sources = [
  "index.html",
  "package.json",
  "build/*.ts",
  "src/**/*",
  "../client/src/**/*.ts",
  "../contract/src/**/*.ts",
  "../contract/generated/openapi.*.json"
]

const digest = (): string => {
  const hash = createHash("sha256")
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: home, withFileTypes: true }))
  const paths = files.filter((_) => _.isFile()).map((_) => join(_.parentPath, _.name))
  for (const path of paths.toSorted()) hash.update(relative(home, path)).update(readFileSync(path))
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

const stampIn = (folder: string): string => join(folder, "sources.sha256")

const isBuilt = (): boolean => existsSync(stampIn(dist)) && readFileSync(stampIn(dist), "utf8") === digest()

const buildAll = async (): Promise<void> => {
  // Of builds that were killed.
  for (const name of globSync("dist.*", { cwd: home })) rmSync(join(home, name), { recursive: true })
  const draft = join(home, "dist.draft")
  const before = join(home, "dist.before")
  const made = digest()
  // Vite would take over another one, such as that of a test, and with it the slow and large variant of React.
  // oxlint-disable-next-line no-restricted-properties -- Vite knows no other way
  process.env["NODE_ENV"] = "production"
  const [{ build }, { configOf }] = await Promise.all([import("vite"), import("./vite.ts")])
  for (const plane of planes) {
    await build(configOf(plane, join(draft, plane)))
    compress(join(draft, plane))
  }
  writeFileSync(stampIn(draft), made)
  // A reader meets the old folder, none or the new one, and never a mixture.
  if (existsSync(dist)) renameSync(dist, before)
  renameSync(draft, dist)
  rmSync(before, { recursive: true, force: true })
}

if (!isBuilt()) {
  await alone(join(home, "build.lock"), async () => {
    if (!isBuilt()) await buildAll()
  })
}
