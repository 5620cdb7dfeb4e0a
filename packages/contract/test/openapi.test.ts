import { assert, describe, expect, it } from "@effect/vitest"
import { CustomerApi, OperatorApi, version } from "@portico/contract/Api"
import { auditCursorOf } from "@portico/contract/Audit"
import { eventCursorOf } from "@portico/contract/EventRoutes"
import { documents } from "@portico/contract/openapi/documents"
import { cursorOf } from "@portico/contract/Page"
import { Predicate, Schema } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

const withoutExamples = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, _: unknown) => (key === "examples" ? undefined : _))

describe("the OpenAPI documents", () => {
  for (const [plane, document] of Object.entries(documents)) {
    it(`${plane}: is the committed one; look at the difference before updating the snapshot`, async () => {
      await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`../generated/openapi.${plane}.json`)
    })

    it(`${plane}: carries the contract's versions`, () => {
      assert.strictEqual(document.openapi, "3.1.0")
      assert.strictEqual(document.info.version, "0.38.0")
      assert.strictEqual(document.info.version, version)
    })

    it(`${plane}: every route is under /v1, except health`, () => {
      for (const path of Object.keys(document.paths)) assert.match(path, /^\/(v1\/|health)/)
    })

    it(`${plane}: every reference resolves, and no schema is named after an encoding`, () => {
      const text = JSON.stringify(document)
      const components = Object.keys(document.components.schemas)
      for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
        assert.include(components, name)
        assert.notMatch(name ?? "", /Encoded|\d$/)
      }
    })

    it(`${plane}: no integer is bounded by what JSON carries exactly`, () => {
      assert.notInclude(JSON.stringify(document), String(Number.MAX_SAFE_INTEGER))
    })

    it(`${plane}: every pattern is one that engines without Unicode properties read`, () => {
      JSON.stringify(document, (key, value: unknown) => {
        if (key === "pattern" && typeof value === "string") {
          assert.notMatch(value, /\\p|\\u\{/)
          assert.strictEqual(new RegExp(value).test("a name"), new RegExp(value, "u").test("a name"), value)
        }
        return value
      })
    })

    it(`${plane}: every operation has an id of its own, and says who may call it`, () => {
      const operations = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.values(item)
          .filter((_) => "operationId" in _)
          .map((operation) => ({ path, operation }))
      )
      const ids = operations.map((_) => _.operation.operationId)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const { operation, path } of operations) {
        const isPublic = /^\/(health|v1\/signup$|v1\/registry\/)/.test(path)
        const callers = isPublic ? [] : [{ bearer: [] }, { oauth2: [] }, { openIdConnect: [] }]
        const wanted = operation.operationId === "registry.token" ? [{ registryLogin: [] }] : callers
        assert.deepStrictEqual(operation.security, wanted, path)
      }
    })
  }

  it("the customers' is a part of the operators'", () => {
    const { customer, operator } = documents
    for (const [path, item] of Object.entries(customer.paths)) assert.deepStrictEqual(operator.paths[path], item, path)
    assert.isBelow(Object.keys(customer.paths).length, Object.keys(operator.paths).length)
  })

  it("the customers' names no path that the operators alone have", () => {
    const { customer, operator } = documents
    const text = JSON.stringify(customer)
    const others = Object.keys(operator.paths).filter((path) => customer.paths[path] === undefined)
    const named = others.map((path) => path.replace(/\{.*/, "")).filter((start) => text.includes(start))
    assert.isNotEmpty(others)
    assert.deepStrictEqual(named, [])
  })

  it("a catch-all is documented with any body, status and type", () => {
    const item = JSON.parse(JSON.stringify(documents.customer)).paths["/v1/iaas/{path}"]
    assert.deepStrictEqual(withoutExamples(item.post.requestBody.content), { "*/*": {} })
    assert.isUndefined(item.get.requestBody)
    for (const method of ["get", "post", "put", "patch", "delete"]) {
      assert.deepStrictEqual(withoutExamples(item[method].responses.default), {
        description: "The response of the service, unchanged.",
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

/** What a parameter takes, and what it refuses, by place and name. */
const forms: Readonly<Record<string, readonly [taken: ReadonlyArray<string>, refused: ReadonlyArray<string>]>> = {
  "header Idempotency-Key": [
    ["a", "!~", "k".repeat(255), 'a"b', '"a"', '"a\\"b\\\\"', `"${"k".repeat(255)}"`],
    ["", "k".repeat(256), "a b", "ä", '"', '""', '"a', '"a"b"', '"a\\b"', `"${"k".repeat(256)}"`]
  ],
  "query since": [
    ["2026-01-31T12:00:00Z", "2026-01-31t12:00:00.5+01:00"],
    ["2026-01-31", "2026-01-31T12:00:00", "now"]
  ],
  "query until": [["2026-01-31T12:00:00Z"], ["2026-01-31T12:00:00", ""]],
  "query cursor": [
    [auditCursorOf(7), cursorOf({ at: 1, id: "a" })],
    ["", "a b", "audit:7", "YQ=="]
  ],
  "header last-event-id": [[eventCursorOf(7)], ["", "events:7"]]
}

it("the document's pattern of these parameters takes and refuses the same values", () => {
  const found = new Set<string>()
  for (const parameter of parametersIn(documents.operator)) {
    const name = `${String(parameter["in"])} ${String(parameter["name"])}`
    const [taken, refused] = forms[name] ?? []
    if (taken === undefined || refused === undefined) continue
    const { pattern } = Schema.decodeUnknownSync(Patterned)(parameter["schema"])
    found.add(name)
    for (const _ of taken) assert.match(_, new RegExp(pattern, "u"), name)
    for (const _ of refused) assert.notMatch(_, new RegExp(pattern, "u"), name)
  }
  assert.deepStrictEqual([...found].toSorted(), Object.keys(forms).toSorted())
})

const Patterned = Schema.Struct({ type: Schema.Literal("string"), pattern: Schema.String })

const parametersIn = (document: unknown): ReadonlyArray<Readonly<Record<PropertyKey, unknown>>> => {
  const found: Array<Readonly<Record<PropertyKey, unknown>>> = []
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "parameters" && Array.isArray(value)) found.push(...value.filter(Predicate.isObject))
    return value
  })
  return found
}
