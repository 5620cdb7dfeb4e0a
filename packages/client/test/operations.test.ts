import { assert, describe, expect, it } from "@effect/vitest"
import { routesOf } from "@portico/client/engine/routes"
import { customerOperations } from "@portico/client/operations/customer"
import { operatorOperations } from "@portico/client/operations/operator"
import { clashes, declared, keysOf, tableOf, waitingTable } from "./operations.ts"

const customers = new Set(declared.customer.map((_) => _.operation))

const moduleOf = (plane: string, table: string) =>
  `// Made from the contract by test/operations.test.ts: not written by hand.\n` +
  `export const ${plane}Operations = {\n${table}\n} as const\n`

describe("the table of operations", () => {
  it("of customers is that of the contract; a new route is added with -u", async () => {
    await expect(moduleOf("customer", tableOf(declared.customer))).toMatchFileSnapshot("../src/operations/customer.ts")
  })

  it("of operators has the operations that customers lack", async () => {
    const more = declared.operator.filter((_) => !customers.has(_.operation))
    await expect(moduleOf("operator", tableOf(more))).toMatchFileSnapshot("../src/operations/operator.ts")
  })

  it("of long-running operations is that of the contract", async () => {
    await expect(
      `// Made from the contract by test/operations.test.ts: not written by hand.\n` +
        `export const longRunning = {\n${waitingTable(declared.operator)}\n} as const\n`
    ).toMatchFileSnapshot("../src/operations/longRunning.ts")
  })

  it("input parts share no key, except the name of a restored database", () => {
    const apart = declared.operator.flatMap(({ endpoint, operation }) =>
      clashes(endpoint).map((key) => `${operation} ${key}`)
    )
    assert.deepStrictEqual(apart, ["databases.restore name"])
    for (const { endpoint, operation } of declared.operator) {
      const { path, query } = keysOf(endpoint)
      assert.isEmpty(
        path.filter((_) => query.includes(_)),
        operation
      )
    }
  })

  it("finds each operation by its method and path, a constant path before a parameter", () => {
    const routes = routesOf({ ...customerOperations, ...operatorOperations })
    assert.strictEqual(routes.all.length, declared.operator.length)
    for (const { endpoint, operation } of declared.operator) {
      const path = endpoint.path.replaceAll(/:\w+/g, "x").replace("*", "a/b")
      assert.strictEqual(routes.at(endpoint.method, path)?.operation, operation)
    }
    assert.isUndefined(routes.at("GET", "/openapi.json"))
  })

  it("a page has one list of rows", () => {
    for (const { is, operation, rows } of routesOf({ ...customerOperations, ...operatorOperations }).all) {
      if (rows !== undefined) assert.match(rows, /^[a-z_]+$/, operation)
      assert.isAtMost([...is].filter((_) => _.startsWith("rows=")).length, 1, operation)
    }
  })
})
