import { OperatorApi } from "@portico/contract/Api"
import { documents } from "@portico/contract/openapi/documents"
import { flagOf } from "@portico/contract/QueryFlag"
import { assert, describe, it } from "@effect/vitest"
import { Predicate, Result, Schema, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"

const spellings = ["true", "True", "TRUE", "false", "False", "1", "0"]

describe("a flag in a query", () => {
  it("is read in one way, in every endpoint that has one", () => {
    const found: Array<string> = []
    const wrong: Array<string> = []
    HttpApi.reflect(OperatorApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        const { ast } = endpoint.query ?? Schema.Struct({})
        for (const { name, type } of SchemaAST.isObjects(ast) ? ast.propertySignatures : []) {
          const decode = Schema.decodeUnknownResult(Schema.make<Schema.Decoder<unknown>>(type))
          const read = (text: string): unknown => Result.getOrUndefined(decode(text))
          // Whatever reads `true` as something of its own kind is meant as a flag.
          const isFlag = SchemaAST.isBoolean(SchemaAST.toType(type)) || (read("true") !== undefined && !read("x"))
          if (!isFlag) continue
          const at = `${group.identifier}.${endpoint.identifier} ${String(name)}`
          found.push(at)
          if (spellings.some((_) => read(_) !== flagOf(_)) || read("yes") !== undefined) wrong.push(at)
        }
      }
    })
    assert.includeMembers(found, ["credentials.list include_revoked", "agents.list include_revoked"])
    assert.deepStrictEqual(wrong, [])
  })

  it("is a boolean in the document", () => {
    const { parameters } = Object(documents.operator["paths"])["/v1/credentials"].get
    const parameter: unknown = parameters.find((_: unknown) => Predicate.isObject(_) && _["name"] === "include_revoked")
    assert.deepInclude(parameter, { required: false, schema: { type: "boolean", default: false } })
  })
})
