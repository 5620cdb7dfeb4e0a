import { Cast } from "../../../packages/gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../packages/gateway/test/harness/TestGateway.ts"
import { folder } from "../../../packages/gateway/test/parts/parts.ts"
import { registries, type Registry, started } from "../../../packages/gateway/test/parts/registries.ts"
import { spawned } from "../../../packages/gateway/test/processes/children.ts"
import { Console, Effect, FileSystem, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Outcome, together } from "../../difference.ts"

/** The suite, where scripts/parts/oci.sh builds it. */
const suite = "/opt/portico-parts/conformance/oci-1.1"

/** Whether the suite and a registry of each kind are installed. */
export const isHere: boolean = existsSync(suite) && registries.every((_) => _.isHere)

/** Compares what the suite shows of each stock registry with our tokens and without. */
export const runOci = Effect.gen(function* () {
  if (!isHere) return yield* Effect.die("run scripts/parts/registry.sh and scripts/parts/oci.sh first")
  return together(yield* Effect.forEach(registries, compared))
}).pipe(Effect.provide(Cast.made.pipe(Layer.provideMerge(TestGateway.layer)), { local: true }))

/** A test passes here when its results are the same both times, whatever they are. */
const compared = Effect.fnUntraced(function* (registry: Registry) {
  const [without, withTokens] = [yield* results(registry, false), yield* results(registry, true)]
  const passed = new Set<string>()
  const failed = new Map<string, string>()
  for (const test of new Set([...without.keys(), ...withTokens.keys()])) {
    const [expected, found] = [without, withTokens].map((_) => (_.get(test) ?? []).toSorted().join(", "))
    const name = `${registry.name}: ${test}`
    if (expected === found) passed.add(name)
    else failed.set(name, `without tokens ${expected || "not run"}; with tokens ${found || "not run"}`)
  }
  yield* Console.log(`${registry.name}, with tokens: ${counted(withTokens)}`)
  return { passed, failed } satisfies Outcome
})

/** The results of each test by its name. There are several where it is repeated with other content. */
type Results = ReadonlyMap<string, ReadonlyArray<string>>

const counted = (results: Results): string =>
  [...Map.groupBy([...results.values()].flat(), (_) => _)].map(([what, { length }]) => `${length} ${what}`).join(", ")

const results = Effect.fnUntraced(function* (registry: Registry, asks: boolean) {
  const { acme } = yield* Cast
  const { host } = yield* started(registry, asks)
  const { path } = yield* folder
  const child = yield* spawned({
    command: [suite],
    cwd: path,
    settings: {
      OCI_VERSION: "1.1",
      OCI_REGISTRY: host,
      OCI_TLS: "disabled",
      OCI_REPO1: `${acme.projectId}/first`,
      OCI_REPO2: `${acme.projectId}/second`,
      OCI_LOG: "error",
      OCI_RESULTS_DIR: path,
      ...(asks ? { OCI_USERNAME: "ci", OCI_PASSWORD: acme.tokens[2] } : {})
    }
  })
  yield* child.ended
  const fs = yield* FileSystem.FileSystem
  const report = yield* fs.readFileString(join(path, "junit.xml"))
  const tests = [...report.matchAll(/<testcase name="([^"]*)"[^>]* status="([^"]*)"/g)]
  if (tests.length === 0) return yield* Effect.die(new Error(`no results: ${child.stdout()}${child.stderr()}`))
  const byName = Map.groupBy(tests, ([, name = ""]) => name.replace(/^OCI Conformance Test\//, ""))
  return new Map([...byName].map(([name, found]) => [name, found.map(([, , status = ""]) => status)])) satisfies Results
}, Effect.scoped)
