import { assert, describe, expect, it } from "@effect/vitest"
import { CustomerApi, OperatorApi, version } from "@portico/contract/Api"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"

const documents = { customer: OpenApi.fromApi(CustomerApi), operator: OpenApi.fromApi(OperatorApi) }

describe("the OpenAPI documents", () => {
  for (const [plane, document] of Object.entries(documents)) {
    it(`${plane}: is the committed one; look at the difference before updating the snapshot`, async () => {
      await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`../openapi.${plane}.json`)
    })

    it(`${plane}: carries the contract's versions`, () => {
      assert.strictEqual(document.openapi, "3.1.0")
      assert.strictEqual(document.info.version, "0.38.0")
      assert.strictEqual(document.info.version, version)
    })

    it(`${plane}: every route is under /v1, except health`, () => {
      for (const path of Object.keys(document.paths)) assert.match(path, /^\/(v1\/|health)/)
    })

    it(`${plane}: every reference leads somewhere, and names no encoding`, () => {
      const text = JSON.stringify(document)
      const components = Object.keys(document.components.schemas)
      for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
        assert.include(components, name)
        assert.notMatch(name ?? "", /Encoded|\d$/)
      }
    })

    it(`${plane}: every operation has an id of its own, and a bearer unless it is health`, () => {
      const operations = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.values(item)
          .filter((_) => "operationId" in _)
          .map((operation) => ({ path, operation }))
      )
      const ids = operations.map((_) => _.operation.operationId)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const { operation, path } of operations) {
        const bearer = /^\/(health|v1\/signup$|v1\/registry\/)/.test(path) ? [] : [{ bearer: [] }]
        assert.deepStrictEqual(operation.security ?? [], bearer, path)
      }
    })
  }

  it("the customers' is a part of the operators'", () => {
    const { customer, operator } = documents
    for (const [path, item] of Object.entries(customer.paths)) assert.deepStrictEqual(operator.paths[path], item, path)
    assert.isBelow(Object.keys(customer.paths).length, Object.keys(operator.paths).length)
  })

  it("a catch-all says so: any body, any status, any type", () => {
    const item = JSON.parse(JSON.stringify(documents.customer)).paths["/v1/iaas/{path}"]
    assert.deepStrictEqual(item.post.requestBody.content, { "*/*": {} })
    assert.isUndefined(item.get.requestBody)
    for (const method of ["get", "post", "put", "patch", "delete"]) {
      assert.deepStrictEqual(item[method].responses.default, {
        description: "The service's own answer, verbatim",
        content: { "*/*": {} }
      })
    }
  })
})

describe("the planes", () => {
  const namesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
    const names: Array<string> = []
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => void names.push(`${endpoint.method} ${endpoint.path}`)
    })
    return names
  }

  it("routes across tenants are on the operators' plane alone", () => {
    const customers = namesOf(CustomerApi)
    for (const name of namesOf(OperatorApi)) {
      const across =
        /\/v1\/(tenants|journal|signups|workload-identity\/issuers|status\/incidents|monitoring|capacity)/.test(name)
      assert.strictEqual(customers.includes(name), !across, name)
    }
  })
})
