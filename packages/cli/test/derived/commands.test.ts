import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { catalogue } from "../../src/catalog/catalog.ts"
import { kebabCase } from "@portico/client/catalogue/names"
import { rootOf } from "../../src/commands/root.ts"
import { excused } from "@portico/client/catalogue/excused"
import { slotsOf } from "@portico/client/catalogue/slots"
import type { Command } from "../../src/effectCli.ts"
import { commandLine } from "../harness/commandLine.ts"
import { byHand } from "./byHand.ts"
import { operations } from "./operations.ts"

const document = JSON.parse(
  readFileSync(new URL("../../../contract/generated/openapi.operator.json", import.meta.url), "utf8")
)

const below = (command: Command.Command.Any, name: string): Command.Command.Any | undefined =>
  command.subcommands.flatMap((_) => _.commands).find((_) => _.name === name)

const root = rootOf({ args: [], whole: true })

describe("the commands", () => {
  it("are all operations of both planes, but for the excused ones", () => {
    for (const { id } of operations) {
      const [group = "", verb = ""] = byHand[id]?.split(" ") ?? id.split(".").map(kebabCase)
      const found = below(below(root, group) ?? root, verb)
      assert.strictEqual(found === undefined, excused[id] !== undefined, id)
    }
  })

  it("excuse only operations that exist", () => {
    for (const id of [...Object.keys(excused), ...Object.keys(byHand)])
      assert.isTrue(
        operations.some((_) => _.id === id),
        id
      )
  })

  it("make only the groups that a command line names", () => {
    const tree = rootOf({ args: ["databases", "list"] })
    const groups = new Set(catalogue.groups.map((_) => _.name))
    const made = tree.subcommands
      .flatMap((_) => _.commands)
      .filter((_) => groups.has(_.name) && _.subcommands.length > 0)
      .map((_) => _.name)
    assert.deepStrictEqual(made, ["databases"])
  })

  it("have unique names, and an alias only where it is unambiguous", () => {
    const aliases = root.subcommands
      .flatMap((_) => _.commands)
      .flatMap((group) => group.subcommands.flatMap((_) => _.commands).map((_) => [`${group.name} ${_.name}`, _.alias]))
      .filter(([, alias]) => alias !== undefined)
    const known = Object.fromEntries(aliases)
    assert.include(known, {
      "credentials list": "ls",
      "credentials revoke": "rm",
      "databases show": "get",
      "databases remove": "rm"
    })
    assert.notProperty(known, "policy list-units")
  })

  it("list groups of operators on an operator plane alone", () => {
    const listed = (plane: "customer" | "operator" | undefined) =>
      below(rootOf({ args: [], plane }), "tenants")?.unlisted === false
    assert.deepStrictEqual([listed("operator"), listed("customer"), listed(undefined)], [true, false, false])
  })

  for (const operation of operations.filter(
    (_) => excused[_.id] === undefined && byHand[_.id] === undefined && _.catchAll !== true
  )) {
    it.effect(`${operation.id} shows a flag for each of its fields`, () =>
      Effect.gen(function* () {
        const [group = "", verb = ""] = operation.id.split(".").map(kebabCase)
        const { exit, stdout } = yield* commandLine([group, verb, "--help"])
        assert.strictEqual(exit, 0)
        for (const { flag } of slotsOf(operation)) assert.include(stdout, `--${flag}`)
        for (const { name } of operation.parameters) assert.include(stdout, `<${kebabCase(name)}>`)
        assert.include(stdout, operation.summary)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }
})

describe("help", () => {
  it.effect("fits the window: descriptions stay within their column", () =>
    Effect.gen(function* () {
      const { stdout } = yield* commandLine(["credentials", "mint", "--help"], { columns: 100 })
      const [before = ""] = stdout.split("EXAMPLES")
      assert.isEmpty(before.split("\n").filter((line) => line.length > 100))
      const [, column = ""] = /\n(\s+- )api-key: Scripts/.exec(before) ?? []
      assert.strictEqual(
        column.length - 2,
        before
          .split("\n")
          .find((_) => _.includes("--kind"))
          ?.indexOf("Who uses")
      )
    })
  )
})

describe("a skeleton", () => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema(document, "document")

  const bodies = operations.filter(
    ({ id, takes }) => (takes === "json" || takes === "form") && byHand[id] === undefined
  )
  for (const operation of bodies) {
    it.effect(`of ${operation.id} is a body that its schema takes, with every field`, () =>
      Effect.gen(function* () {
        const [group = "", verb = ""] = operation.id.split(".").map(kebabCase)
        const { exit, stderr, stdout } = yield* commandLine([group, verb, "--generate-skeleton"])
        assert.strictEqual(exit, 0, stderr)
        const body: unknown = JSON.parse(stdout)
        const path = operation.path
          .replaceAll("~", "~0")
          .replaceAll("/", "~1")
          .replaceAll("{", "%7B")
          .replaceAll("}", "%7D")
        const form = operation.takes === "json" ? "application~1json" : "application~1x-www-form-urlencoded"
        const place = `document#/paths/${path}/${operation.method.toLowerCase()}/requestBody/content/${form}/schema`
        const validate = ajv.compile({ $ref: place })
        assert.isTrue(validate(body), JSON.stringify(validate.errors))
        assert.hasAllKeys(
          body,
          operation.body.map((_) => _.name)
        )
      })
    )
  }
})
