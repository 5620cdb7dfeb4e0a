import { partsOf, resolved, targetOf } from "@portico/client/catalogue/Call"
import type { Shape } from "@portico/client/catalogue/Catalogue"
import { assert, describe, test } from "vitest"
import {
  base,
  queryOf,
  recorded,
  recordedBody,
  recordedPath,
  recordedQuery,
  shapes
} from "../../../client/test/catalogue/recorded.ts"
import {
  type Draft,
  draftOf,
  fieldsOf,
  inputIn,
  inputOf,
  isValues,
  linked,
  places,
  type Value
} from "../../src/operations/draft.ts"

/** Everything that a form holds is a text, null, left out, or a list or an object of such. */
const isTyped = (value: Value): boolean => {
  if (value === undefined || value === null || typeof value === "string") return true
  return isValues(value) ? Object.values(value).every(isTyped) : value.every(isTyped)
}

const empty: Draft = { path: {}, query: {}, body: {} }

const shapeOf = (id: string): Shape => {
  const shape = shapes.operator.find((_) => _.id === id)
  if (shape === undefined) throw new Error(`There is no operation ${id}`)
  return shape
}

describe("the form of an operation", () => {
  test("has every operation of both planes", () => {
    assert.isAbove(recorded.length, 100)
    for (const shape of [...shapes.customer, ...shapes.operator]) {
      const fields = places.flatMap((_) => fieldsOf(shape)[_])
      assert.isTrue(
        fields.every((_) => _.name !== ""),
        shape.id
      )
      assert.deepStrictEqual(draftOf(shape, inputOf(shape, empty)).path, draftOf(shape, {}).path)
    }
  })

  for (const { call, operation } of recorded) {
    test(`${operation.id}: filled in, it is the recorded request`, () => {
      const shape = call.operation
      const draft = draftOf(shape, call.input)
      assert.isTrue(
        places.every((_) => isTyped(draft[_])),
        "a control can show it"
      )
      const input = inputOf(shape, draft)
      const sent = resolved({ ...call, input })
      if (!("operation" in sent)) {
        assert.strictEqual(sent.path, recordedPath(operation))
        assert.deepStrictEqual(sent.body, operation.example.body)
        return
      }
      const parts = partsOf(shape, input)
      const url = new URL(targetOf(shape, parts), base)
      assert.strictEqual(url.pathname, recordedPath(operation))
      assert.deepStrictEqual(queryOf(url), recordedQuery(operation))
      assert.deepStrictEqual(parts.body, recordedBody(operation))
    })

    test(`${operation.id}: its link opens the same form, without secrets`, () => {
      const shape = call.operation
      const link = linked(shape, call.input)
      assert.deepStrictEqual(inputIn(linked(shape, inputOf(shape, draftOf(shape, inputIn(link))))), inputIn(link))
    })
  }

  test("leaves out what is not filled in, and keeps null and empty lists", () => {
    const shape = shapeOf("credentials.mint")
    assert.deepStrictEqual(inputOf(shape, empty), {})
    assert.deepStrictEqual(inputOf(shape, { ...empty, body: { label: "ci", tier: "1", networks: [] } }), {
      label: "ci",
      tier: 1,
      networks: []
    })
    const zone = shapeOf("dns.changeZone")
    assert.deepStrictEqual(inputOf(zone, { ...empty, path: { zone_id: "z" }, body: { description: null } }), {
      zone_id: "z",
      description: null
    })
  })

  test("sends text in a number field unchanged, for the gateway to refuse", () => {
    const shape = shapeOf("credentials.mint")
    assert.deepStrictEqual(inputOf(shape, { ...empty, body: { expires_in_days: "soon" } }), { expires_in_days: "soon" })
  })

  test("has no secret of the caller's in its link", () => {
    const shape = shapeOf("integrations.create")
    const link = linked(shape, {
      name: "chat",
      url: "https://hooks.example/secret",
      headers: [{ name: "a", value: "b" }]
    })
    assert.deepStrictEqual(inputIn(link), { name: "chat" })
    assert.strictEqual(
      linked(shapeOf("kubernetes.post"), { path: "api/v1", body: { data: "secret" } }),
      '{"path":"api/v1"}'
    )
    assert.deepStrictEqual(inputIn("no JSON"), {})
    assert.deepStrictEqual(inputIn("1"), {})
  })
})
