import { assert, describe, it } from "@effect/vitest"
import { Authenticated, isAllowedWhileClosing, tierOf, type WithheldCode } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { failures } from "@portico/contract/Failures"
import { withheldAt } from "@portico/contract/groups"
import type { Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiMiddleware } from "effect/http-api"

interface Declared {
  readonly endpoint: HttpApiEndpoint.Top
  readonly authentication: ReadonlyArray<HttpApiMiddleware.AnyService>
}

const endpoints = new Map<string, Declared>()
HttpApi.reflect(OperatorApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, middleware }) => {
    const authentication = [...middleware].filter((_) => _.key === Authenticated.key)
    endpoints.set(`${endpoint.method} ${endpoint.path}`, { endpoint, authentication })
  }
})

const codes = [
  "tenant_required",
  "tier_too_low",
  "agent_reads_no_secret",
  "policy_denied",
  "concurrent_deletion_state",
  "tenant_suspended"
] as const satisfies ReadonlyArray<WithheldCode>

const declared = (errors: ReadonlySet<Schema.Top>) =>
  codes.filter((code) => failures(code).every((schema) => [...errors].some((_) => _ === schema)))

const open = ["GET /health", "GET /health/live", "GET /health/ready", "POST /v1/signup"]

describe("the access failures that an endpoint declares", () => {
  for (const [name, { authentication, endpoint }] of endpoints) {
    it(name, () => {
      if (open.includes(name) || endpoint.path.startsWith("/v1/registry/")) return assert.isEmpty(authentication)
      assert.lengthOf(authentication, 1)
      const found = authentication.flatMap((_) => declared(_.error))
      // Nothing that changes it was declared after the authentication.
      assert.sameMembers(found, [...withheldAt(endpoint)])
      if (tierOf(endpoint.method) === 0) {
        for (const code of ["tier_too_low", "concurrent_deletion_state", "tenant_suspended"] as const) {
          assert.notInclude(found, code)
        }
      } else {
        assert.strictEqual(found.includes("concurrent_deletion_state"), !isAllowedWhileClosing(endpoint))
      }
      if (endpoint.method === "DELETE") assert.notInclude(found, "tenant_suspended")
    })
  }

  const rows: Readonly<Record<string, ReadonlyArray<WithheldCode>>> = {
    "GET /v1/tenants": ["policy_denied"],
    "GET /v1/whoami": ["policy_denied"],
    "GET /v1/alarms": ["tenant_required", "policy_denied"],
    "GET /v1/databases/:engine/:name/credentials": ["tenant_required", "agent_reads_no_secret", "policy_denied"],
    "POST /v1/alarms": [
      "tenant_required",
      "tier_too_low",
      "policy_denied",
      "concurrent_deletion_state",
      "tenant_suspended"
    ],
    "PATCH /v1/alarms/:alarm_id": ["tenant_required", "tier_too_low", "policy_denied", "concurrent_deletion_state"],
    "DELETE /v1/credentials/:credential_id": ["tenant_required", "tier_too_low", "policy_denied"],
    "POST /v1/tenants": ["policy_denied", "concurrent_deletion_state", "tenant_suspended"]
  }
  for (const [name, wanted] of Object.entries(rows)) {
    it(`${name} by hand`, () => {
      const { endpoint } = endpoints.get(name) ?? assert.fail("no such route")
      assert.sameMembers([...withheldAt(endpoint)], [...wanted])
    })
  }
})
