import { OperatorApi } from "@portico/contract/Api"
import { documents } from "@portico/contract/openapi/documents"
import { Creates, oneTimeFields } from "@portico/contract/Idempotency"
import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

/** POSTs without an `Idempotency-Key`, and why nothing is lost. */
const withoutKey: Readonly<Record<string, string>> = {
  "/v1/signup": "nobody is known to the gateway there, and a second request makes no second row",
  "/v1/registry/token": "a login of its own; a token is not kept",
  "/v1/workload-identity/token-exchange": "a token is not kept; each exchange stands for itself",
  "/v1/iaas/*": "refused: what is behind it knows no such key",
  "/v1/kubernetes/*": "refused: what is behind it knows no such key",
  "/v1/account/close": "a state that is reached once",
  "/v1/tenants/accounts/:number/reopen": "a state that is reached once",
  "/v1/tenants/accounts/:number/finalize": "a state that is reached once",
  "/v1/tenants/:project_id/deletion/cancel": "a state that is reached once",
  "/v1/tenants/:project_id/tier": "the same tier again repairs",
  "/v1/tenants/:project_id/suspend": "the same again changes nothing",
  "/v1/tenants/:project_id/repair": "the same again changes nothing",
  "/v1/journal/:attempt_id/retry": "a removal that can be repeated",
  "/v1/signups/:signup_id/reject": "a state that is reached once",
  "/v1/edge/exposures/:exposure_id/verify": "a look at a record",
  "/v1/object-storage/buckets/:name/objects/:key/presigned": "an address is not kept; each stands for itself",
  "/v1/edge/resync": "the same again changes nothing",
  "/v1/dns/zones/:zone_id/import": "what is there already stays",
  "/v1/webhooks/:webhook_id/test": "a ping, which makes nothing",
  "/v1/integrations/:integration_id/confirm": "a state that is reached once",
  "/v1/integrations/:integration_id/test": "a ping, which makes nothing"
}

/** Names that sound like a secret, and are none. */
const harmless: ReadonlySet<string> = new Set(["access_key", "previous_secret_until"])

const posts: ReadonlyArray<{ readonly endpoint: HttpApiEndpoint.Top; readonly creates: boolean }> = (() => {
  const found: Array<{ readonly endpoint: HttpApiEndpoint.Top; readonly creates: boolean }> = []
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const creates = [...middleware].some((_) => _.key === Creates.key)
      if (endpoint.method === "POST") found.push({ endpoint, creates })
      else assert.isFalse(creates, `${endpoint.method} ${endpoint.path} is no POST`)
    }
  })
  return found
})()

const document: unknown = documents.operator

const documented = (path: string) => path.replaceAll(/:([a-z_]+)/g, "{$1}")

const get = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((at, key) => (Predicate.isObject(at) ? at[key] : undefined), value)

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Every field of an answer by the document, with whether it says that it is a secret that is shown once. */
const fieldsOf = (schema: unknown, at: string): ReadonlyArray<readonly [path: string, oneTime: boolean]> => {
  const ref = get(schema, "$ref")
  if (ref === "#/components/schemas/OneTimeSecret") return [[at, true]]
  if (typeof ref === "string") return fieldsOf(get(document, ...ref.replace("#/", "").split("/")), at)
  const properties = get(schema, "properties")
  const below = at === "" ? "" : `${at}.`
  return [
    ...(at === "" ? [] : ([[at, false]] as const)),
    ...Object.entries(Predicate.isObject(properties) ? properties : {}).flatMap(([name, _]) =>
      fieldsOf(_, `${below}${name}`)
    ),
    ...(get(schema, "items") === undefined ? [] : fieldsOf(get(schema, "items"), `${below}*`)),
    ...[...list(get(schema, "anyOf")), ...list(get(schema, "oneOf"))].flatMap((_) => fieldsOf(_, at))
  ]
}

const answersOf = (path: string) =>
  Object.entries(get(document, "paths", documented(path), "post", "responses") ?? {}).flatMap(([status, _]) =>
    status.startsWith("2") ? fieldsOf(get(_, "content", "application/json", "schema"), "") : []
  )

describe("calls that take an Idempotency-Key", () => {
  for (const { creates, endpoint } of posts) {
    it(`POST ${endpoint.path} ${creates ? "takes one" : "has a reason for taking none"}`, () => {
      assert.strictEqual(creates, !(endpoint.path in withoutKey))
      const parameters = list(get(document, "paths", documented(endpoint.path), "post", "parameters"))
      assert.strictEqual(
        parameters.some((_) => get(_, "name") === "Idempotency-Key"),
        creates
      )
    })
  }

  it("the customers' document describes the header", () => {
    const parameters = list(get(documents.customer, "paths", "/v1/alarms", "post", "parameters"))
    assert.deepStrictEqual(
      parameters.map((_) => [get(_, "name"), get(_, "in"), get(_, "required")]),
      [["Idempotency-Key", "header", false]]
    )
  })

  it("is documented for a POST alone, and not for other methods of its path", () => {
    assert.notInclude(JSON.stringify(get(document, "paths", "/v1/alarms", "get")), "Idempotency-Key")
  })
})

describe("secrets that are shown once", () => {
  for (const { creates, endpoint } of posts) {
    if (!creates) continue
    it(`POST ${endpoint.path}: the documented secrets are those that replays leave out`, () => {
      const shown = answersOf(endpoint.path)
      assert.isNotEmpty(shown)
      const secrets = shown.filter(([, oneTime]) => oneTime).map(([path]) => path)
      assert.sameMembers(
        oneTimeFields(endpoint).map((_) => _.join(".")),
        [...new Set(secrets)]
      )
    })

    it(`POST ${endpoint.path}: no other field is named like a secret`, () => {
      const named = answersOf(endpoint.path)
        .filter(([, oneTime]) => !oneTime)
        .map(([path]) => path.split(".").at(-1) ?? "")
        .filter((_) => /secret|password|token|private|_key$|^pat$|^uri$/.test(_) && !harmless.has(_))
      assert.deepStrictEqual(named, [])
    })
  }

  it("are in what mints and onboards", () => {
    const fields = Object.fromEntries(posts.map(({ endpoint }) => [endpoint.path, oneTimeFields(endpoint)]))
    assert.deepStrictEqual(fields["/v1/credentials"], [["client_secret"], ["pat"]])
    assert.deepStrictEqual(fields["/v1/tenants"], [["credential", "client_secret"]])
    assert.deepStrictEqual(fields["/v1/object-storage/credentials/rotate"], [["secret_key"]])
  })
})
