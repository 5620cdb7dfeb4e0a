import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { documents, misfits, violations } from "../routes/conforms.ts"
import { nameOf, type Route, routes } from "../routes/routes.ts"

type Json = Readonly<Record<PropertyKey, unknown>>

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.isObject(_) ? _[key] : undefined), value)

const entries = (value: unknown) => (Predicate.isObject(value) ? Object.entries(value) : [])

const exampleIn = (media: unknown): unknown => at(media, "examples", "recorded", "value")

/** No service behind a catch-all answers the method with a success. */
const withoutSuccess = ["OPTIONS /v1/iaas/*", "OPTIONS /v1/kubernetes/*"]

const succeeding = routes.filter((_) => !withoutSuccess.includes(nameOf(_)))

const operationOf = ({ documented, method }: Route): unknown =>
  at(documents.operator.paths, documented, method.toLowerCase())

/** The responses of an operation that may have a body, with the example of the one that was recorded. */
const answersOf = (operation: unknown) =>
  entries(at(operation, "responses"))
    .filter(([status, response]) => /^(2|default)/.test(status) && at(response, "content") !== undefined)
    .flatMap(([status, response]) => entries(at(response, "content")).map(([type, media]) => ({ status, type, media })))

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

describe("the examples in the documents", () => {
  for (const route of succeeding) {
    const operation = operationOf(route)

    it(`${nameOf(route)}: a request body has one, which is valid`, () => {
      for (const [type, media] of entries(at(operation, "requestBody", "content"))) {
        const example = exampleIn(media)
        assert.isDefined(example, type)
        const schema = at(media, "schema")
        if (schema !== undefined) assert.strictEqual(misfits(documents.operator, schema, example, "$").join("; "), "")
      }
    })

    it(`${nameOf(route)}: a successful response has one, which is valid`, () => {
      const answers = answersOf(operation)
      const shown = answers.filter((_) => exampleIn(_.media) !== undefined)
      // A catch-all's deletion has no body.
      const bodiless = answers.length === 0 || nameOf(route) === "DELETE /v1/iaas/*"
      assert.lengthOf(shown, bodiless ? 0 : 1)
      for (const { media, status, type } of shown) {
        if (type === "*/*") continue
        const answer = {
          status: Number(status),
          headers: { "content-type": type },
          rawHeaders: [],
          bytes: Buffer.alloc(0),
          text: textOf(exampleIn(media))
        }
        assert.strictEqual(violations(documents.operator, route.method, route.documented, answer).join("; "), "")
      }
    })

    it(`${nameOf(route)}: a path parameter has one, and each is valid`, () => {
      const parameters = at(operation, "parameters")
      for (const parameter of Array.isArray(parameters) ? parameters : []) {
        const { example, in: place, name, schema }: Json = parameter
        if (place === "path") assert.isDefined(example, String(name))
        if (example !== undefined) {
          assert.strictEqual(misfits(documents.operator, schema, example, String(name)).join("; "), "")
        }
      }
    })
  }

  it("contain no name of a test, test server's address or unusual token", () => {
    const text = JSON.stringify(documents.operator)
    for (const word of [/\bmatrix\b/i, /127\.0\.0\.1/, /\bsimulated\b/, /"1970-/]) assert.notMatch(text, word)
    const secrets = [...text.matchAll(/"(?:pat|client_secret|secret|secret_key)":"([^"]*)"/g)].map(([, _]) => _)
    assert.isAbove(secrets.length, 3)
    for (const secret of secrets) assert.match(secret ?? "", /EXAMPLE$/)
  })
})
