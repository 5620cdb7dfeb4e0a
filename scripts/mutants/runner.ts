import { relative } from "node:path"
import { createVitest, type Reporter, type TestCase, type TestModule, type Vitest } from "vitest/node"
import type { Failure } from "./Mutant.ts"

/** Runs test files in the tree that is its working directory, as it is asked by the process that started it. */
export type Request =
  | { readonly run: ReadonlyArray<string>; readonly untilFailure: boolean }
  | { readonly distances: true }

export type Message =
  | { readonly files: ReadonlyArray<string> }
  | { readonly started: string }
  | { readonly failed: Failure }
  | { readonly ended: string; readonly ms: number }
  | { readonly done: true; readonly failure?: Failure }
  | { readonly distances: Readonly<Record<string, Readonly<Record<string, number>>>> }

const root = process.cwd()
const send = (message: Message): void => void process.send?.(message)
const firstLine = (error: unknown): string =>
  String((error as { message?: unknown } | undefined)?.message ?? error)
    .replaceAll(/\s+/g, " ")
    .slice(0, 300)

class Listener implements Reporter {
  vitest: Vitest | undefined
  untilFailure = false
  private began = 0
  private isFailed = false

  onTestModuleQueued(module: TestModule): void {
    this.began = performance.now()
    this.isFailed = false
    send({ started: relative(root, module.moduleId) })
  }

  onTestCaseResult(test: TestCase): void {
    const { errors, state } = test.result()
    if (state === "failed") this.fail("test", test.module, test.fullName, errors[0])
  }

  onTestModuleEnd(module: TestModule): void {
    const suite = [...module.children.allSuites()].find((_) => _.errors().length > 0)
    if (module.state() === "failed" && !this.isFailed) {
      const how = suite === undefined && module.children.size === 0 ? "load" : "test"
      this.fail(how, module, suite?.fullName ?? "", suite?.errors()[0] ?? module.errors()[0])
    }
    send({ ended: relative(root, module.moduleId), ms: Math.round(performance.now() - this.began) })
  }

  private fail(how: Failure["how"], module: TestModule, test: string, error: unknown): void {
    if (this.isFailed) return
    this.isFailed = true
    send({ failed: { how, file: relative(root, module.moduleId), test, error: firstLine(error) } })
    if (this.untilFailure) void this.vitest?.cancelCurrentRun("test-failure")
  }
}

const listener = new Listener()
const vitest = await createVitest("test", {
  config: "mutants.config.ts",
  reporters: [listener],
  isolate: false,
  maxWorkers: 1,
  watch: false,
  update: false
})
listener.vitest = vitest

// A file of several projects runs in the first one: the others are the same stories on other servers.
const specifications = new Map(
  (await vitest.globTestSpecifications()).toReversed().map((_) => [relative(root, _.moduleId), _])
)

/** How many imports away from each test file the modules are that it has. */
const distances = (file: string): Record<string, number> => {
  const graph = specifications.get(file)?.project.vite.environments["ssr"]?.moduleGraph
  const found = new Map([...(graph?.getModulesByFile(`${root}/${file}`) ?? [])].map((_) => [_, 0]))
  for (const [module, distance] of found) {
    for (const next of module.importedModules) if (!found.has(next)) found.set(next, distance + 1)
  }
  return Object.fromEntries([...found].map(([{ file }, distance]) => [relative(root, file ?? ""), distance]))
}

process.on("message", async (request: Request) => {
  if ("distances" in request) {
    return send({ distances: Object.fromEntries([...specifications.keys()].map((_) => [_, distances(_)])) })
  }
  listener.untilFailure = request.untilFailure
  const { unhandledErrors } = await vitest.runTestSpecifications(
    request.run.flatMap((_) => specifications.get(_) ?? [])
  )
  const error = unhandledErrors[0]
  send(
    error === undefined
      ? { done: true }
      : { done: true, failure: { how: "unhandled", file: "", test: "", error: firstLine(error) } }
  )
})

// What tests have started stops with them.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"))

send({ files: [...specifications.keys()] })
