import { assert, it } from "@effect/vitest"
import { mounts } from "@portico/simulator/Wire"
import { readFileSync } from "node:fs"

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

it("the page about failures lists every simulated service with its mount", () => {
  const rows = read("docs/developers/testing-failures.md").matchAll(/^\| `([a-z]+)` +\|[^|]*\| `([a-z-]+)` +\|$/gm)
  assert.deepStrictEqual(Object.fromEntries([...rows].map(([, service, mount]) => [mount, service])), mounts)
})

it("the map of the code names files that exist, for at least twenty questions", () => {
  const rows = read("docs/developers/map.md")
    .split("\n")
    .filter((_) => _.startsWith("| "))
    .slice(2)
  assert.isAtLeast(rows.length, 20)
  for (const row of rows) {
    const links = [...row.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].flatMap(([, file]) => file ?? [])
    assert.isNotEmpty(links, row)
    for (const file of links) assert.doesNotThrow(() => read(file), row)
  }
})

it("the page about limiters names files that exist", () => {
  const files = [...read("docs/developers/limiters.md").matchAll(/`(\w+\/src\/[\w/]+\.ts)`/g)].map(
    ([, file = ""]) => file
  )
  assert.isAtLeast(files.length, 20)
  for (const file of files) assert.doesNotThrow(() => read(`packages/${file}`), file)
})

it("the page about steps shows the test and the steps as they are", () => {
  const page = read("docs/developers/onboarding-steps.md")
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = ""]) => block)
  const sources = ["starter/gateway.ts", "onboarding-steps/steps.ts", "onboarding-steps/onboarding.test.ts"]
  const source = sources.map((_) => read(`examples/${_}`)).join("\n")
  assert.isAbove(blocks.length, 2)
  for (const block of blocks) assert.include(source, block)
})

it("the page about packages shows the tests of the company as they are", () => {
  const blocks = [...read("docs/developers/packages.md").matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, block = ""]) => block
  )
  const source = ["steps.test.ts", "capacity.test.ts"].map((_) => read(`examples/company/${_}`)).join("\n")
  assert.isAbove(blocks.length, 1)
  for (const block of blocks) assert.include(source, block)
})

it("the page about rehearsals shows the example's file as it is", () => {
  const [, block] = /^```ts\n(.*?)^```$/ms.exec(read("docs/developers/rehearsal.md")) ?? []
  assert.strictEqual(block, read("examples/onboarding-steps/rehearsal.ts"))
})

it("the page about failures shows the tests in Python and Go as they are", () => {
  const page = read("docs/developers/testing-failures.md")
  for (const [language, file] of [
    ["python", "failure-test-python/test_network.py"],
    ["go", "failure-test-go/network_test.go"]
  ]) {
    const [, block] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(page) ?? []
    assert.isAbove(block?.length ?? 0, 300, language)
    assert.include(read(`examples/${file}`), block ?? "")
  }
})

it("the whole test in the README is one that runs", () => {
  const [, block] = /^```ts\n(.*?)^```$/ms.exec(read("packages/testing/README.md")) ?? []
  assert.strictEqual(block, read("packages/testing/test/example.test.ts"))
})
