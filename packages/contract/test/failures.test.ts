import { assert, describe, it } from "@effect/vitest"
import * as Failures from "@portico/contract/Failures"
import { exampleOf } from "@portico/contract/failures/constructors"
import { statuses } from "@portico/contract/failures/Resource"
import { Effect, Schema } from "effect"

const { failureTable, Forbidden, NotFound, Unauthorized } = Failures

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

/** The strings that the contract quotes, whole. */
const verbatim: ReadonlyArray<readonly [Failures.Failure, status: number, code: Failures.FailureCode, detail: string]> =
  [
    [Unauthorized.missingBearer(), 401, "missing_authorization", "Missing or invalid Authorization header"],
    [Unauthorized.tokenNotActive(), 401, "token_inactive", "Token is not active"],
    [Unauthorized.introspectionFailed(), 401, "introspection_failed", "Token introspection failed"],
    [Unauthorized.revoked(), 401, "credential_revoked", "Credential has been revoked"],
    [Unauthorized.expired(), 401, "credential_expired", "Credential has expired"],
    [Forbidden.noProjectRoles(), 403, "no_project_roles", "Token carries no project roles; tenant access denied"],
    [
      Forbidden.noTenant("ursula"),
      403,
      "no_tenant",
      "No tenant assigned for user 'ursula': no TENANT_MAP entry and no admin role. Ask an operator to map your user to a project."
    ],
    [
      Forbidden.tierTooLow("POST", 1, 0),
      403,
      "tier_too_low",
      `Insufficient credential tier: POST requires tier 1, the caller's credential is tier 0. ${tiers}`
    ],
    [
      Forbidden.tierTooLow(undefined, 1, 0),
      403,
      "tier_too_low",
      `Insufficient credential tier: this action requires tier 1, the caller's credential is tier 0. ${tiers} Create a higher-tier credential under POST /v1/credentials.`
    ],
    [NotFound.credential("cred-1"), 404, "credential_not_found", "Credential 'cred-1' not found"],
    [NotFound.databaseCredentials(), 404, "database_credentials_not_ready", "credentials not ready"],
    [NotFound.databaseRotation(), 404, "no_credential_to_rotate", "no such credential to rotate"]
  ]

const encode = Schema.encodeEffect(Failures.Failure)

describe("the strings of the contract", () => {
  for (const [failure, status, code, detail] of verbatim) {
    it.effect(`${status} ${code}: ${detail}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(statuses[failure._tag], status)
        // The whole body: no tag, and nothing else besides.
        assert.deepStrictEqual<object>(yield* encode(failure), { detail, code })
      })
    )
  }
})

describe("every failure", () => {
  it("has a code of its own", () => {
    assert.strictEqual(new Set(failureTable.map((_) => _.code)).size, failureTable.length)
    for (const { code } of failureTable) assert.match(code, /^[a-z]+(_[a-z]+)*$/)
  })

  for (const record of failureTable) {
    const { code, schema } = record
    const example = exampleOf(record)
    it.effect(`${code} has a detail, and only its own declaration encodes and decodes it`, () =>
      Effect.gen(function* () {
        const failure = yield* Schema.decodeUnknownEffect(schema)(example)
        assert.strictEqual(failure.code, code)
        assert.match(JSON.stringify(failure.detail), /^(?!.*(undefined|\[object|NaN)).*\w/)
        for (const declared of [schema, Failures.Failure]) {
          assert.deepStrictEqual<unknown>(yield* Schema.encodeUnknownEffect(declared)(failure), example)
        }
        const others = failureTable.filter((_) => _.code !== code && _.status === record.status)
        if (others.length === 0) return
        yield* Effect.flip(Schema.encodeUnknownEffect(Schema.Union(others.map((_) => _.schema)))(failure))
      })
    )
  }

  it("has a cause and a fix, in sentences", () => {
    for (const { cause, code, fix } of failureTable) {
      for (const sentence of [cause, fix]) assert.match(sentence, /^[A-Z`].*\.$/, code)
    }
  })
})

it("a class has no code of another status", () => {
  // @ts-expect-error 403
  assert.throws(() => new NotFound({ code: "tier_too_low", detail: "x" }))
})
