import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundleOf } from "./processes.ts"

// The gateway of the image: `packages/gateway/dist/main.mjs`, made of `packages/gateway/src/main.ts`.

const root = join(import.meta.dirname, "../..")
const dist = join(root, "packages/gateway/dist")

rmSync(dist, { recursive: true, force: true })
for (const file of await bundleOf({ main: "packages/gateway/src/main.ts" }, root)) {
  const path = join(dist, file.fileName)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, file.type === "chunk" ? file.code : file.source)
}
