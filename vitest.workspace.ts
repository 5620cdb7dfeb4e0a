import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { globalSetup: ["packages/store/test/postgres.setup.ts"], projects: ["packages/*", "examples/*"] }
})
