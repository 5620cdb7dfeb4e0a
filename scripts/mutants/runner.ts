import { relative } from "node:path"
import { createVitest, type Reporter, type TestCase, type TestModule } from "vitest/node"
import type { Failure } from "./Mutant.ts"

/** How many imports away from each test file the modules are that it has. */
export type Distances = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Runs test files in the tree that is its working directory, as the process that started it asks. */
export type Message =
  | { readonly is: "ready"; readonly files: ReadonlyArray<string> }
  | { readonly is: "started"; readonly file: string }
  | ({ readonly is: "failed" } & Failure)
  | { readonly is: "green"; readonly file: string; readonly ms: number }
  | { readonly is: "done"; readonly error?: string; readonly file: string; readonly distances: Distances }

const root = process.cwd()
const send = (message: Message): void => void process.send?.(message)
const nameOf = (module: TestModule): string => relative(root, module.moduleId)
const messageOf = (error: object | undefined): string =>
  (error !== undefined && "message" in error ? String(error.message) : "").replaceAll(/\s+/g, " ").slice(0, 300)

let untilFailure = false
let [isFailed, began] = [false, 0]

const fail = (how: Failure["how"], module: TestModule, test: string, error: object | undefined): void => {
  if (isFailed) return
  isFailed = true
  send({ is: "failed", how, file: nameOf(module), test, error: messageOf(error) })
  if (untilFailure) void vitest.cancelCurrentRun("test-failure")
}

const listener: Reporter = {
  onTestModuleQueued(module) {
    isFailed = false
    began = performance.now()
    send({ is: "started", file: nameOf(module) })
  },
  onTestCaseResult(test: TestCase) {
    const { errors, state } = test.result()
    if (state === "failed") fail("test", test.module, test.fullName, errors[0])
  },
  onTestModuleEnd(module) {
    if (module.state() === "failed") {
      const suite = [...module.children.allSuites()].find((_) => _.errors().length > 0)
      const how = suite === undefined && module.children.size === 0 ? "load" : "test"
      fail(how, module, suite?.fullName ?? "", suite?.errors()[0] ?? module.errors()[0])
    } else if (module.state() === "passed" || module.state() === "skipped") {
      send({ is: "green", file: nameOf(module), ms: Math.round(performance.now() - began) })
    }
  }
}

const vitest = await createVitest("test", {
  config: "mutants.config.ts",
  reporters: [listener],
  isolate: false,
  maxWorkers: 1,
  watch: false,
  update: false
})

// A file of several projects runs in the first one: the others are the same stories on other servers.
const specifications = new Map(
  (await vitest.globTestSpecifications()).toReversed().map((_) => [relative(root, _.moduleId), _])
)

const distancesOf = (file: string): Readonly<Record<string, number>> => {
  const graph = specifications.get(file)?.project.vite.environments["ssr"]?.moduleGraph
  const found = new Map([...(graph?.getModulesByFile(`${root}/${file}`) ?? [])].map((_) => [_, 0]))
  for (const [module, distance] of found) {
    for (const next of module.importedModules) if (!found.has(next)) found.set(next, distance + 1)
  }
  return Object.fromEntries([...found].map(([{ file }, distance]) => [relative(root, file ?? ""), distance]))
}

process.on("message", async (asked: { readonly files: ReadonlyArray<string>; readonly untilFailure: boolean }) => {
  untilFailure = asked.untilFailure
  const { unhandledErrors } = await vitest.runTestSpecifications(
    asked.files.flatMap((_) => specifications.get(_) ?? [])
  )
  const [error] = unhandledErrors.map((_) => Object(_))
  const file = error?.VITEST_TEST_PATH === undefined ? "" : relative(root, String(error.VITEST_TEST_PATH))
  const distances = untilFailure ? {} : Object.fromEntries(asked.files.map((_) => [_, distancesOf(_)]))
  send({ is: "done", file, distances, ...(error === undefined ? {} : { error: messageOf(error) }) })
})

// What tests have started stops with them.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"))

send({ is: "ready", files: [...specifications.keys()] })
