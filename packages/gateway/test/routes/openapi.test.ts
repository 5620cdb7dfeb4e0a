import { assert, describe, it, layer } from "@effect/vitest"
import { statuses } from "@portico/contract/failures/Resource"
import { Unauthorized } from "@portico/contract/Failures"
import { documentAddresses } from "@portico/gateway/documentAddresses"
import { placeholders } from "@portico/contract/openapi/security"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { respond } from "@portico/gateway/middleware/respond"
import { ConfigProvider, Effect } from "effect"
import { readFileSync } from "node:fs"
import { violations } from "./conforms.ts"
import type { Answer } from "../harness/http.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const committed = (plane: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../contract/generated/openapi.${plane}.json`, import.meta.url), "utf8"))

layer(TestGateway.layer, { excludeTestServices: true })("a plane's description", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: /openapi.json is the committed document with this cloud's addresses, and public`, () =>
      Effect.gen(function* () {
        const answer = yield* (yield* TestGateway).call(plane, "GET", "/openapi.json")
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        const issuer = `${(yield* Server).url}/idp`
        const expected = JSON.stringify(committed(plane))
          .replaceAll(placeholders.issuer, issuer)
          .replaceAll(`:${placeholders.projectId}:`, `:${fixtures.idp.projectId}:`)
        assert.notInclude(answer.text, placeholders.issuer)
        assert.deepStrictEqual(jsonOf(answer), JSON.parse(expected))
        assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
      })
    )

    it.effect(`${plane}: /docs is a page`, () =>
      Effect.gen(function* () {
        const answer = yield* (yield* TestGateway).call(plane, "GET", "/docs")
        assert.strictEqual(answer.status, 200)
        assert.match(answer.headers["content-type"] ?? "", /^text\/html/)
        assert.match(answer.text, /^\s*<!doctype html>/i)
      })
    )
  }

  it.effect("customers see none of the operators' routes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      for (const path of ["/openapi.json", "/docs"]) {
        const { text } = yield* call("customer", "GET", path)
        for (const word of ["/v1/tenants", "/v1/journal", "/v1/signups/capacity"]) assert.notInclude(text, word)
      }
    })
  )
})

describe("the addresses of a document", () => {
  const settings = { AUTH_URL: "https://auth.acme.example/", ZITADEL_PROJECT_ID: "42" }
  const addresses = (of: Readonly<Record<string, string>>) =>
    documentAddresses("operator").pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, ...of })))
    )

  it.effect("name the plane's own public URL", () =>
    Effect.gen(function* () {
      const urls = { CUSTOMER_PUBLIC_URL: "https://api.acme.example", OPERATOR_PUBLIC_URL: "https://ops.acme.example/" }
      assert.deepStrictEqual(yield* addresses(urls), {
        server: "https://ops.acme.example",
        issuer: "https://auth.acme.example",
        projectId: "42"
      })
    })
  )

  it.effect("are relative to the document without one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* addresses({})).server, "/")
    })
  )
})

describe("the check of answers against the document", () => {
  const answer = (status: number, body: unknown, type = "application/json"): Answer => ({
    status,
    rawHeaders: [],
    headers: { "content-type": type },
    bytes: Buffer.alloc(0),
    text: JSON.stringify(body)
  })
  const check = (_: Answer) => violations(committed("customer"), "GET", "/v1/credentials", _)
  const listed = {
    credential_id: "cred-1",
    kind: "api-key",
    tier: 0,
    minted_tier: 0,
    label: "x",
    project_id: "p",
    state: "active",
    revoked: false,
    client_id: "c",
    created_at: "",
    created_by: "",
    made_by: null,
    expires_at: null,
    revoked_at: null,
    held: [],
    networks: null,
    last_used_at: null,
    last_used_from: null,
    rotated_to: null,
    revokes_at: null
  }
  const fine = { count: 1, next_cursor: null, credentials: [listed] }

  it("accepts valid ones", () => assert.deepStrictEqual(check(answer(200, fine)), []))

  const wrong: Readonly<Record<string, Answer>> = {
    "a status that is not declared": answer(418, {}),
    "a type that is not declared": answer(200, fine, "text/plain"),
    "a field that is not declared": answer(200, { ...fine, more: 1 }),
    "a field that is missing": answer(200, { next_cursor: null, credentials: [] }),
    "a fraction for a whole number": answer(200, { ...fine, count: 0.5 }),
    "a wrong type within": answer(200, { count: 1, next_cursor: null, credentials: [{ ...listed, label: null }] }),
    "a value outside the enum": answer(200, { count: 1, next_cursor: null, credentials: [{ ...listed, tier: 3 }] }),
    "a secret in a list": answer(200, { count: 1, next_cursor: null, credentials: [{ ...listed, pat: "secret" }] }),
    "a code that does not exist": answer(401, { detail: "x", code: "nonsense" })
  }
  for (const [what, _] of Object.entries(wrong)) {
    it(`finds ${what}`, () => assert.strictEqual(check(_).length, 1))
  }
  it("finds an unknown route", () =>
    assert.isNotEmpty(violations(committed("customer"), "GET", "/v1/tenants", answer(200, {}))))
})

describe("failures outside of any endpoint", () => {
  it.effect("have the status of their code and the bytes of a declared one", () =>
    Effect.gen(function* () {
      const failure = Unauthorized.revoked()
      const response = yield* respond(failure)
      assert.strictEqual(response.status, statuses[failure._tag])
    })
  )
})
