import { Config, Effect, Schema } from "effect"
import { readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { older } from "./packages/gateway/test/postgres/releases.ts"
import { InjectedReporter } from "./packages/testing/src/faults/InjectedReporter.ts"
import { CostReporter } from "./packages/testing/src/run/CostReporter.ts"
import { chosenTests } from "./packages/testing/src/sample/sample.setup.ts"
import { SkippedReporter } from "./packages/testing/src/run/SkippedReporter.ts"

/** For what hangs. No test depends on how fast the machine is, so what works is never stopped by it. */
const timeout = 900_000

const setupFiles = ["faults/injected.setup.ts", "run/cost.setup.ts"].map(
  (file) => new URL(`packages/testing/src/${file}`, import.meta.url).pathname
)

/**
 * Which tests run: those of `npm test`, or one of these:
 *
 * - `in-process`: the same with every story of their loops, and the simulator's own;
 * - `integration`: what starts processes, browsers, terminals or real servers;
 * - `all`: both.
 */
const tests = Effect.runSync(
  Config.schema(Schema.Literals(["some", ...chosenTests]), "PORTICO_TESTS").pipe(Config.withDefault("some"))
)

/** In process a test is all work. One that starts processes waits for them most of the time. */
const maxWorkers =
  Math.min(Math.max(availableParallelism(), 2), 4) + (tests === "integration" || tests === "all" ? 1 : 0)

const integration = "**/*.integration.test.ts"
const patterns = tests === "integration" ? [integration] : configDefaults.include
const exclude =
  tests === "some" || tests === "in-process" ? [...configDefaults.exclude, integration] : configDefaults.exclude

/** All but the one that is tested with the packages as they are published: `npm run test:packages`. */
const folders = [
  ...["packages", "examples"].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)),
  "scripts/soak"
].filter((_) => _ !== "examples/company" && (tests !== "some" || _ !== "packages/simulator"))

/** Two workers on two cores: threads of their own for the collector, and many small collections, take a tenth more. */
const execArgv = ["--single-threaded-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"]

/**
 * The store's tests run on the oldest release of PostgreSQL that is installed beside the embedded one, which is the newest:
 * what both have, those between them have as well. `all` runs them on each.
 */
const others = tests === "all" ? older : tests === "integration" ? older.slice(0, 1) : []

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
    maxWorkers,
    projects: [
      {
        test: {
          name: "portico",
          include: folders.flatMap((folder) => patterns.map((pattern) => `${folder}/${pattern}`)),
          exclude,
          setupFiles,
          isolate: false,
          execArgv,
          testTimeout: timeout,
          hookTimeout: timeout,
          // Node loads the sources itself, which takes less time than Vite's module runner.
          experimental: { viteModuleRunner: false, nodeLoader: false }
        }
      },
      ...others.map((release) => ({
        test: {
          name: `packages/store on PostgreSQL ${release.version}`,
          root: "packages/store",
          // Interleavings take a quarter of the time, and are of locks, which are the same in all of these releases: they
          // run on one by PORTICO_TEST_DATABASE_URL.
          exclude: [
            ...configDefaults.exclude,
            "test/EmbeddedPostgres.integration.test.ts",
            "test/statementTime.integration.test.ts",
            "test/interleavings.test.ts"
          ],
          globalSetup: ["../gateway/test/postgres/release.setup.ts"],
          provide: { otherRelease: release },
          setupFiles,
          isolate: false,
          testTimeout: timeout,
          hookTimeout: timeout
        }
      }))
    ]
  }
})
