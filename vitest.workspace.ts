import { Config, Effect } from "effect"
import { readdirSync } from "node:fs"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { older } from "./packages/gateway/test/postgres/releases.ts"
import { InjectedReporter } from "./packages/testing/src/faults/InjectedReporter.ts"
import { CostReporter } from "./packages/testing/src/run/CostReporter.ts"
import { SkippedReporter } from "./packages/testing/src/run/SkippedReporter.ts"

/** For what hangs. No test depends on how fast the machine is, so what works is never stopped by it. */
const timeout = 180_000

const setupFiles = ["faults/injected.setup.ts", "run/cost.setup.ts"].map(
  (file) => new URL(`packages/testing/src/${file}`, import.meta.url).pathname
)

/** `npm run test:all`: also what starts processes, browsers, terminals and real servers, and the simulator's own tests. */
const everything = Effect.runSync(Config.String("PORTICO_TESTS").pipe(Config.withDefault(""))) === "all"

const exclude = everything ? configDefaults.exclude : [...configDefaults.exclude, "**/*.integration.test.ts"]

/** All but the one that is tested with the packages as they are published: `npm run test:packages`. */
const folders = [
  ...["packages", "examples"].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)),
  "scripts/soak"
].filter((_) => _ !== "examples/company" && (everything || _ !== "packages/simulator"))

/** Their sources are loaded by Node itself, which takes less time than Vite's module runner. */
const native = new Set([
  "packages/contract",
  "packages/client",
  "packages/domain",
  "packages/store",
  "packages/upstream"
])

/** The store's tests run on every release of PostgreSQL in a run of everything. */
const others = everything ? older : []

/** Stories that start processes wait for them most of the time: they begin first, and the others fill the gaps. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const [others, starting] = [false, true].map((starts) =>
      files.filter(({ moduleId }) => /integration|processes/.test(moduleId) === starts)
    )
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own
    return [...(starting ?? []), ...(await super.sort(others ?? []))]
  }
}

export default defineConfig({
  test: {
    globalSetup: ["packages/testing/src/store/postgres.setup.ts", "packages/testing/src/sample/sample.setup.ts"],
    reporters: ["default", new InjectedReporter(), new CostReporter(), new SkippedReporter()],
    sequence: { sequencer: ProcessesFirst },
    projects: [
      ...folders.map((root) => ({
        test: {
          name: root,
          root,
          exclude,
          setupFiles,
          testTimeout: timeout,
          hookTimeout: timeout,
          experimental: { viteModuleRunner: !native.has(root), nodeLoader: false }
        }
      })),
      ...others.map((release) => ({
        test: {
          name: `packages/store on PostgreSQL ${release.version}`,
          root: "packages/store",
          // Interleavings take a quarter of the time, and are of locks, which are the same in all of these releases: they
          // run on one by PORTICO_TEST_DATABASE_URL.
          exclude: [
            ...configDefaults.exclude,
            "test/EmbeddedPostgres.integration.test.ts",
            "test/interleavings.test.ts"
          ],
          globalSetup: ["../gateway/test/postgres/release.setup.ts"],
          provide: { otherRelease: release },
          setupFiles,
          testTimeout: timeout,
          hookTimeout: timeout
        }
      }))
    ]
  }
})
