import { defineConfig } from "vitest/config"

/** What only the real systems can show: see docs/developers/real-cloud.md. */
export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.real.ts"],
    // The database is for gateways in processes of their own.
    globalSetup: ["scripts/real-cloud/vitest.setup.ts", "packages/testing/src/store/postgres.setup.ts"],
    // For what hangs: see vitest.workspace.ts.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // The cloud has one worker a service: more would only wait for each other.
    maxWorkers: 2,
    // A busy service may break a call off, once.
    retry: 1
  }
})
