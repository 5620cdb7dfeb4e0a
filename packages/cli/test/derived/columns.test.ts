import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { readFileSync } from "node:fs"
import { columns } from "../../src/derived/columns.ts"
import { byHand } from "./byHand.ts"
import { operationNamed } from "./operations.ts"

const document: unknown = JSON.parse(
  readFileSync(new URL("../../../contract/generated/openapi.operator.json", import.meta.url), "utf8")
)

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((found, key) => (Predicate.isObject(found) ? resolved(found[key]) : undefined), value)

function resolved(value: unknown): unknown {
  const reference = Predicate.isObject(value) ? value["$ref"] : undefined
  return typeof reference === "string" ? at(document, ...reference.split("/").slice(1)) : value
}

describe("the columns of a table", () => {
  for (const [id, chosen] of Object.entries(columns)) {
    it(`of ${id} are fields of its rows`, () => {
      const { method, path, rows = "" } = operationNamed(id)
      assert.notProperty(byHand, id)
      const answer = at(
        document,
        "paths",
        path,
        method.toLowerCase(),
        "responses",
        "200",
        "content",
        "application/json"
      )
      const row = at(answer, "schema", "properties", rows, "items", "properties")
      assert.includeMembers(Object.keys(Object(row)), [...chosen])
    })
  }
})
