import { OperatorApi } from "@portico/contract/Api"
import { documents } from "@portico/contract/openapi/documents"
import { assert, describe, it } from "@effect/vitest"
import { Predicate, Result, Schema, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"

/** Each endpoint whose body may be `{}`, with whether it may be missing too. */
const found = (() => {
  const all: Array<{ readonly method: string; readonly path: string; readonly mayBeMissing: boolean }> = []
  const isEmptyTaken = (schema: Schema.Top): boolean =>
    Result.isSuccess(Schema.decodeUnknownResult(Schema.make<Schema.Decoder<unknown>>(schema.ast))({}))
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const schemas = [...endpoint.payload.values()].flatMap((_) => _.schemas)
      if (!schemas.some(isEmptyTaken)) return
      // The library reads a missing body as null.
      const mayBeMissing = schemas.some(({ ast }) => SchemaAST.isNull(SchemaAST.toEncoded(ast)))
      all.push({ method: endpoint.method, path: endpoint.path.replaceAll(/:([a-z_]+)/g, "{$1}"), mayBeMissing })
    }
  })
  return all
})()

/** By what the document says to clients. */
const isRequired = (method: string, path: string): unknown => {
  const paths: unknown = documents.operator["paths"]
  return [path, method.toLowerCase(), "requestBody", "required"].reduce<unknown>(
    (at, key) => (Predicate.isObject(at) ? at[key] : undefined),
    paths
  )
}

describe("a body of optional fields alone", () => {
  it("may be missing as a whole in every POST, and in nothing else", () => {
    assert.isAbove(found.filter((_) => _.method === "POST").length, 3)
    const wrong = found.filter(({ mayBeMissing, method }) => mayBeMissing !== (method === "POST"))
    // A PATCH or PUT without a body says nothing of what is to change: the client has lost it.
    assert.deepStrictEqual(wrong, [])
  })

  it("is required only where the declaration requires it", () => {
    const wrong = found.filter(({ mayBeMissing, method, path }) => isRequired(method, path) !== !mayBeMissing)
    assert.deepStrictEqual(wrong, [])
  })
})
