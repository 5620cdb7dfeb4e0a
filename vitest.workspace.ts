import { readdirSync } from "node:fs"
import { defineConfig } from "vitest/config"

/** For what hangs. No test depends on how fast the machine is, so what works is never stopped by it. */
const timeout = 180_000

const folders = ["packages", "examples"].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))

export default defineConfig({
  test: {
    globalSetup: ["packages/testing/src/store/postgres.setup.ts"],
    projects: folders.map((root) => ({ test: { name: root, root, testTimeout: timeout, hookTimeout: timeout } }))
  }
})
