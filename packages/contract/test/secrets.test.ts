import { assert, describe, it } from "@effect/vitest"
import { AnswersSecret, isAuditedRead } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { oneTimeFields } from "@portico/contract/Idempotency"
import { Context, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"

/** Names of fields that sound like a secret, and are none: each with its reason. */
const harmless: Readonly<Record<string, string>> = {
  access_key: "the name of a key, as a user name is",
  uri_prefix: "a public address",
  next_continuation_token: "a place in a list",
  continuation_token: "a place in a list",
  issued_token_type: "what kind of token",
  token_type: "what kind of token",
  previous_secret_until: "a moment",
  credentials: "records without secrets, or the path of a route",
  discovery_url: "a public address",
  jwks_uri: "a public address"
}

/** Without the gateway's own access control: a login of its own decides what the token is for. */
const loginOfItsOwn: ReadonlySet<string> = new Set(["/v1/registry/token"])

const sounds = /secret|password|passwd|token|^pat$|private|^uri$|presigned|^url$/i

/** A field `url` is the client's own setting, except where it lets its bearer in. */
const isSecretName = (name: string, path: string): boolean =>
  sounds.test(name) && harmless[name] === undefined && (name !== "url" || path.endsWith("/presigned"))

const names = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...names(type)])
  }
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].flatMap(names)
  return SchemaAST.isUnion(ast) ? ast.types.flatMap(names) : []
}

const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = (() => {
  const found: Array<HttpApiEndpoint.Top> = []
  HttpApi.reflect(OperatorApi, { onGroup: () => {}, onEndpoint: ({ endpoint }) => void found.push(endpoint) })
  return found
})()

const answered = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> =>
  [...endpoint.success]
    .map((_) => (HttpApiSchema.isWithHeaders(_) ? _.schema : _))
    .flatMap((_) => names(SchemaAST.toEncoded(_.ast)))
    .filter((_) => isSecretName(_, endpoint.path))

describe("secrets in answers", () => {
  const said = (endpoint: HttpApiEndpoint.Top) => Context.get(endpoint.annotations, AnswersSecret)

  it("every endpoint whose answer has one says what kind it is, and no other does", () => {
    const wrong = endpoints.filter((endpoint) => {
      const has = answered(endpoint).length > 0 || oneTimeFields(endpoint).length > 0
      return !loginOfItsOwn.has(endpoint.path) && has !== (said(endpoint) !== undefined)
    })
    assert.deepStrictEqual(
      wrong.map((_) => `${_.method} ${_.path}: ${answered(_).join(", ")}`),
      []
    )
  })

  it("the stored secrets, which no agent gets, and the grants are these", () => {
    const of = (kind: "stored" | "grant") =>
      endpoints.filter((_) => said(_) === kind).map((_) => `${_.method} ${_.path}`)
    assert.sameMembers(of("stored"), [
      "GET /v1/object-storage/credentials",
      "POST /v1/object-storage/credentials/rotate",
      "GET /v1/databases/:engine/:name/credentials",
      "POST /v1/webhooks/:webhook_id/rotate-secret"
    ])
    assert.sameMembers(of("grant"), [
      "GET /v1/object-storage/buckets/:name/objects/:key/presigned",
      "POST /v1/object-storage/buckets/:name/objects/:key/presigned"
    ])
  })

  it("a read of either is audited", () => {
    for (const endpoint of endpoints) {
      const kind = said(endpoint)
      assert.strictEqual(isAuditedRead(endpoint.annotations), kind === "stored" || kind === "grant", endpoint.path)
    }
  })
})
