import { assert, describe, it } from "@effect/vitest"
import { OperatorApi } from "@portico/contract/Api"
import { revocations, shareOf, sharesOf, signIns } from "@portico/gateway/limits/DatabaseShares"
import { endpointsOf } from "@portico/gateway/requests/endpoints"

/** Every route that takes something away, and whether that is an access. */
const removals: Readonly<Record<string, "access" | "thing">> = {
  "DELETE /v1/access/policy": "thing",
  "DELETE /v1/agents": "access",
  "DELETE /v1/alarms/:alarm_id": "thing",
  "DELETE /v1/autoscaling/groups/:group_id": "thing",
  "DELETE /v1/budgets/:budget_id": "thing",
  "DELETE /v1/credentials/:credential_id": "access",
  "DELETE /v1/databases/:engine/:name": "thing",
  "DELETE /v1/dns/zones/:zone_id": "thing",
  "DELETE /v1/dns/zones/:zone_id/recordsets/:recordset_id": "thing",
  "DELETE /v1/edge/exposures/:exposure_id": "thing",
  "DELETE /v1/iaas/*": "thing",
  "DELETE /v1/integrations/:integration_id": "thing",
  "DELETE /v1/kubernetes/*": "thing",
  "DELETE /v1/nat-gateways/:ngw_id": "thing",
  "DELETE /v1/object-storage/buckets/:name": "thing",
  "DELETE /v1/object-storage/buckets/:name/cors": "thing",
  "DELETE /v1/object-storage/buckets/:name/objects/:key": "thing",
  "DELETE /v1/object-storage/keys/:access_key": "access",
  "DELETE /v1/org/ous/:path": "thing",
  "DELETE /v1/org/ous/:path/members/:id": "thing",
  "DELETE /v1/org/users/:user_id": "access",
  "DELETE /v1/projects/:project_id": "thing",
  "DELETE /v1/status/incidents/:incident_id": "thing",
  "DELETE /v1/webhooks/:webhook_id": "thing",
  "DELETE /v1/workload-identity/issuers/:issuer_id": "access"
}

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

describe("shares of the database's sessions", () => {
  const endpoints = endpointsOf(OperatorApi).map((_) => _.endpoint)

  it("reserve some for revocation: every route that revokes is listed", () => {
    const routes = endpoints.filter((_) => _.method === "DELETE").map(nameOf)
    assert.deepStrictEqual(routes.toSorted(), Object.keys(removals))
    const ofAccess = Object.keys(removals).filter((_) => removals[_] === "access")
    assert.deepStrictEqual([...revocations].toSorted(), ofAccess)
    for (const endpoint of endpoints) {
      const isRevocation = revocations.has(nameOf(endpoint))
      assert.strictEqual(shareOf("customer", endpoint), isRevocation ? "revocation" : "ordinary")
      assert.strictEqual(shareOf("operator", endpoint), isRevocation ? "revocation" : "operators")
    }
  })

  it("do not limit signing in", () => {
    const names = new Set(endpoints.map(nameOf))
    for (const route of signIns) assert.isTrue(names.has(route), route)
  })

  it("leave sessions for authentication", () => {
    for (let sessions = 8; sessions < 200; sessions++) {
      const { operators, ordinary, revocation } = sharesOf(sessions)
      assert.isAtLeast(sessions - ordinary - operators - revocation, 1)
      assert.isAtLeast(ordinary, 4)
    }
    assert.deepStrictEqual(sharesOf(18), { revocation: 2, operators: 4, ordinary: 10 })
    assert.deepStrictEqual(sharesOf(1), { revocation: 1, operators: 2, ordinary: 1 })
  })
})
