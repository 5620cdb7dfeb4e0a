import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { repository, spawned } from "./children.ts"
import { anchorsOf, documents, installPage, linksOf, type ShellBlock, shellBlocks, textOf } from "./Document.ts"
import { emptyDirectory, npmStart, up } from "./started.ts"

const all = documents()

/** How many shell blocks of a document are not run, because they need what a machine with Node and curl lacks. Lower it, never raise it. */
const notRun: Readonly<Record<string, number>> = {
  "README.md": 1,
  "CONTRIBUTING.md": 1,
  "docs/developers/mutants.md": 1,
  "docs/developers/real-cloud.md": 3,
  "docs/developers/schemathesis.md": 1,
  "docs/developers/soak.md": 1,
  "docs/developers/testing.md": 1,
  "docs/developers/truth.md": 1,
  "docs/developers/testing-failures.md": 1,
  "docs/operators/backup.md": 7,
  "docs/operators/bus.md": 3,
  "docs/operators/image.md": 1,
  "docs/operators/kubernetes-install.md": 1,
  "docs/operators/postgresql.md": 1,
  "docs/operators/registry.md": 2,
  "docs/operators/rotation.md": 3,
  "docs/operators/runbooks.md": 1,
  "docs/operators/workload-identity.md": 1,
  "docs/tenants/databases.md": 1,
  "docs/tenants/integrations.md": 2,
  "docs/tenants/kubernetes.md": 1,
  "docs/tenants/objects.md": 1,
  "docs/tenants/openstack-clients.md": 1,
  "docs/tenants/registry.md": 1,
  "docs/tenants/workload-identity.md": 1
}

describe("documents", () => {
  it("link to each other: every link has its file and heading", () => {
    const broken = all.flatMap((document) =>
      linksOf(document)
        .filter(([path, anchor]) => {
          if (!existsSync(join(repository, path))) return true
          return anchor !== "" && !anchorsOf(path).includes(anchor)
        })
        .map(([path, anchor]) => `${document}: ${path}#${anchor}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("are all linked from the README", () => {
    const found = new Set<string>()
    const follow = (document: string) => {
      if (found.has(document)) return
      found.add(document)
      for (const [path] of linksOf(document)) if (path.endsWith(".md")) follow(path)
    }
    follow("README.md")
    assert.deepStrictEqual(
      all.filter((document) => !found.has(document)),
      []
    )
  })

  it("have no shell block without a test, except with a reason", () => {
    assert.deepStrictEqual(
      all.filter((document) => shellBlocks(document).some((_) => _.cluster)),
      [installPage]
    )
    const counts = all.map((document) => [document, shellBlocks(document).filter((_) => _.norun).length] as const)
    assert.deepStrictEqual(Object.fromEntries(counts.filter(([, count]) => count > 0)), notRun)
    assert.deepStrictEqual(
      all.filter((document) => /^ +```/m.test(textOf(document))),
      [],
      "a fence that is indented is not seen"
    )
  })
})

it("docs/operators/operating.md names every table", () => {
  const folder = join(repository, "packages/store/src/migrations")
  const made = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/CREATE TABLE (\w+)/g)].map(([, table = ""]) => table)
  )
  const text = textOf("docs/operators/operating.md")
  assert.deepStrictEqual(
    made.filter((table) => !text.includes(`\`${table}\``)),
    []
  )
})

/** What `npm start` runs, once for all documents. */
class Started extends Context.Service<Started, { readonly dataDir: string }>()("portico/gateway/test/Started") {
  static readonly layer = Layer.effect(
    Started,
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      yield* up(yield* npmStart(dataDir), dataDir)
      return { dataDir }
    })
  )
}

/** Each block says where it begins, and each call of curl the status of its answer, on standard error. */
const scriptOf = (blocks: ReadonlyArray<ShellBlock>) =>
  [
    "set -eu",
    `curl() { command curl -w '%{stderr}\\n@status %{http_code}\\n' "$@"; }`,
    ...blocks.map(({ commands, line }) => `printf '\\n@block ${line}\\n' >&2\n${commands}`)
  ].join("\n")

/** The statuses that the calls of each block were answered with, by the block's line. */
const statusesOf = (stderr: string): ReadonlyMap<number, ReadonlyArray<number>> =>
  new Map(
    stderr
      .split("\n@block ")
      .slice(1)
      .map((said) => [Number.parseInt(said), [...said.matchAll(/^@status (\d+)$/gm)].map(([, _]) => Number(_))])
  )

layer(Started.layer, { excludeTestServices: true })("commands of the documents", (it) => {
  for (const document of all) {
    const blocks = shellBlocks(document).filter((_) => _.norun === undefined && !_.cluster)
    if (blocks.length === 0) continue
    it.effect(document, () =>
      Effect.gen(function* () {
        const { dataDir } = yield* Started
        const command = ["sh", "-c", scriptOf(blocks)]
        const shell = yield* spawned({ command, settings: { PORTICO_DATA_DIR: dataDir }, group: true })
        const code = yield* shell.ended
        const said = `${document}\n${shell.stdout()}\n${shell.stderr()}`
        assert.strictEqual(code, 0, said)
        const statuses = statusesOf(shell.stderr())
        for (const { line, refusal } of blocks) {
          const answers = statuses.get(line) ?? []
          const good = refusal === undefined ? answers : answers.slice(0, -1)
          assert.isTrue(
            good.every((status) => status < 400),
            `line ${line}: ${answers.join(" ")} of ${said}`
          )
          if (refusal !== undefined) assert.strictEqual(answers.at(-1), refusal, `line ${line} of ${said}`)
        }
      }).pipe(Effect.scoped)
    )
  }
})
