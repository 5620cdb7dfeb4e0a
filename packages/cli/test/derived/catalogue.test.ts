import { customerOperations } from "@portico/client/operations/customer"
import { operatorOperations } from "@portico/client/operations/operator"
import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "../../src/catalog/catalog.ts"
import type { Field } from "@portico/client/catalogue/Catalogue"
import { secretInputs } from "@portico/client/catalogue/inputs"
import { plainText } from "@portico/client/catalogue/plainText"
import { keysOf, declared } from "../../../client/test/operations.ts"
import { operationNamed, operations } from "./operations.ts"

const leaves = (field: Field): ReadonlyArray<Field> => [
  field,
  ...(field.fields ?? []).flatMap(leaves),
  ...(field.items === undefined ? [] : leaves(field.items))
]

describe("the catalogue", () => {
  it("has every operation of both planes, on its planes", () => {
    assert.sameMembers(
      operations.map((_) => _.id),
      [...Object.keys(customerOperations), ...Object.keys(operatorOperations)]
    )
    const ofCustomers = operations.filter((_) => _.planes.includes("customer")).map((_) => _.id)
    assert.sameMembers(ofCustomers, Object.keys(customerOperations))
  })

  it("has every field that the contract declares", () => {
    for (const { endpoint, operation } of declared.operator) {
      const found = operationNamed(operation)
      const keys = keysOf(endpoint)
      const names = (fields: ReadonlyArray<Field>): Array<string> => fields.map((_) => _.name)
      assert.includeMembers(names(found.query), [...keys.query], operation)
      assert.includeMembers(names(found.body), [...keys.body], operation)
      assert.includeMembers(names(found.parameters), [...keys.path], operation)
    }
  })

  it("is small: a bundle reads it at every start", () => {
    assert.isBelow(JSON.stringify(catalogue).length, 300_000)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(catalogue)), catalogue)
  })

  it("has no Markdown in its texts", () => {
    const texts = operations.flatMap((operation) => [
      operation.description,
      ...[...operation.parameters, ...operation.query, ...operation.body]
        .flatMap(leaves)
        .flatMap((_) => [_.description ?? "", ...(_.values ?? []).map(([, meaning]) => meaning ?? "")])
    ])
    assert.deepStrictEqual(
      texts.filter((_) => /`|\*\*|\]\(/.test(_)),
      []
    )
  })

  it("names commands in place of routes", () => {
    const commandAt = (method: string, path: string) =>
      method === "GET" && path === "/v1/a" ? "portico a list" : undefined
    assert.strictEqual(
      plainText("See `GET /v1/a?x=1` and `POST /v1/b`.", commandAt),
      "See 'portico a list' and 'POST /v1/b'."
    )
    assert.include(operationNamed("databases.create").description, "'portico databases show'")
  })

  it("has the meanings of values", () => {
    const engine = operationNamed("databases.create").body.find((_) => _.name === "engine")
    assert.deepStrictEqual(engine?.values?.[0], ["postgres", "PostgreSQL, with replicas, backups and restores."])
  })

  it("reads from a file every field that is never shown again", () => {
    for (const { body, id } of operations) {
      for (const field of body) {
        const isSecret =
          leaves(field).some((_) => /never shown/i.test(_.description ?? "")) ||
          /password|secret|subject_token$/.test(field.name)
        if (isSecret) assert.include(secretInputs[id] ?? [], field.name, id)
      }
    }
  })

  it("marks destructive operations: every removal, and three more", () => {
    const others = operations.filter((_) => _.destroys === true && _.method !== "DELETE").map((_) => _.id)
    assert.sameMembers(others, ["account.close", "accounts.finalize", "tenants.suspend"])
  })
})
