import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { agentSuccesses } from "../agent/successes.ts"
import { autoscalingSuccesses } from "../autoscaling/successes.ts"
import { auditSuccesses } from "../audit/successes.ts"
import { eventSuccesses } from "../events/successes.ts"
import { accountSuccesses } from "../accounts/successes.ts"
import { backedUp, databaseSuccesses, kafkaRemoval, newKafka } from "../databases/successes.ts"
import { edgeSuccesses } from "../edge/successes.ts"
import { moneySuccesses } from "../money/successes.ts"
import { monitoringSuccesses } from "../monitoring/successes.ts"
import { objectSuccesses } from "../objectStorage/successes.ts"
import { dnsSuccesses, longImport } from "../dns/successes.ts"
import { natSuccesses, turnedOn } from "../nat/successes.ts"
import { peopleSuccesses } from "../people/successes.ts"
import { policySuccesses } from "../policy/successes.ts"
import { projectSuccesses } from "../projects/successes.ts"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { signupSuccesses } from "../signups/successes.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { tokenSuccesses } from "../workloadIdentity/successes.ts"
import type { Outcome } from "./killed.ts"
import type { Success } from "./Success.ts"
import { targetSuccesses } from "../targets/successes.ts"
import { nextOf } from "./nextOf.ts"

const at = (path: string, body?: unknown): Success["prepare"] => Effect.succeed({ path, body })

const fresh = (name: string): string => `${name}-${nextOf("routes")}`

const victim = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { credential_id } = yield* mint(acme.tokens[2], 0, fresh("victim"))
  return { path: `/v1/credentials/${credential_id}` }
})

const absent = (id: string | undefined) => ({ detail: `Credential '${id}' not found`, code: "credential_not_found" })

/** What earlier calls minted goes: the tenant has not many places. */
const places = Effect.gen(function* () {
  const { credentials } = yield* asAcme("GET", "/v1/credentials?limit=1000")
  for (const { credential_id, label } of credentials) {
    if (/^(minted|victim|turned)-\d+$/.test(label)) yield* asAcme("DELETE", `/v1/credentials/${credential_id}`)
  }
})

const turned = Effect.gen(function* () {
  yield* places
  const { customerAdmin } = yield* Cast
  // It sees no more costs than any of those who rotate it.
  const { credential_id } = yield* mint(customerAdmin, 0, fresh("turned"))
  return { path: `/v1/credentials/${credential_id}/rotate`, body: { overlap_seconds: 60 } }
})

const asAcme = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { acme } = yield* Cast
  return jsonOf(yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[2], body }))
})

const network = Effect.map(Cast, ({ acme }) => ({
  path: `/v1/iaas/network/networks/${acme.networkId}`,
  body: { network: { description: fresh("network") } }
}))

const image = Effect.map(
  asAcme("POST", "/v1/iaas/image/images", { name: "disk", container_format: "bare", disk_format: "raw" }),
  (made) => ({
    path: `/v1/iaas/image/images/${made.id}`,
    headers: { "content-type": "application/openstack-images-v2.1-json-patch" },
    body: [{ op: "replace", path: "/name", value: "renamed" }]
  })
)

const securityGroup = Effect.map(
  asAcme("POST", "/v1/iaas/network/security-groups", { security_group: { name: fresh("group") } }),
  (made) => ({ path: `/v1/iaas/network/security-groups/${made.security_group.id}` })
)

const configMap = Effect.gen(function* () {
  const { acme } = yield* Cast
  const configMaps = `/v1/kubernetes/api/v1/namespaces/db-${acme.projectId}/configmaps`
  const name = fresh("settings")
  yield* asAcme("POST", configMaps, { metadata: { name } })
  return { path: `${configMaps}/${name}`, body: { metadata: { name }, data: { more: "true" } } }
})

/** Beside another one: an administrator's write makes no namespace. */
const newConfigMap = Effect.map(configMap, ({ path }) => ({
  path: path.slice(0, path.lastIndexOf("/")),
  body: { metadata: { name: fresh("settings") } }
}))

/** A tenant that nobody else's call is about. */
const another = (rest: string, body?: unknown) =>
  Effect.gen(function* () {
    const { call } = yield* TestGateway
    const made = yield* call("operator", "POST", "/v1/tenants", { token: operator, body: { name: fresh("Other") } })
    return { path: `/v1/tenants/${jsonOf(made).tenant.project_id}${rest}`, body }
  })

/** An onboarding that failed, and whose project could not be removed. */
const stuck = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const cloud = yield* SimulatedCloud
  const fails = { when: "before", times: "always", as: { status: 500 } } as const
  yield* cloud.fault({ service: "neutron", method: "POST", path: "/v2.0/routers", ...fails })
  yield* cloud.fault({ service: "keystone", method: "DELETE", path: "/v3/projects/*", ...fails })
  const name = fresh("Stuck")
  yield* call("operator", "POST", "/v1/tenants", { token: operator, body: { name } })
  yield* cloud.clearFaults
  const { onboardings } = jsonOf(yield* call("operator", "GET", "/v1/journal", { token: operator }))
  const { attempt_id } = onboardings.find((_: { name: string }) => _.name === name)
  return { path: `/v1/journal/${attempt_id}/retry` }
})

/**
 * One row a route: how it succeeds. A route without a row fails the matrix.
 */
export const successes: Readonly<Record<string, Success>> = {
  "GET /health": { status: 200, prepare: at("/health") },
  "GET /health/live": { status: 200, prepare: at("/health/live") },
  "GET /health/ready": { status: 200, prepare: at("/health/ready") },
  "POST /v1/credentials": {
    status: 201,
    prepare: Effect.map(places, () => ({
      path: "/v1/credentials",
      body: { kind: "api-key", tier: 0, label: fresh("minted") }
    }))
  },
  "GET /v1/credentials": { status: 200, prepare: at("/v1/credentials") },
  "GET /v1/credentials/usage": { status: 200, prepare: at("/v1/credentials/usage") },
  "POST /v1/credentials/:credential_id/rotate": {
    status: 201,
    prepare: turned,
    // It is another's, of everybody but the customer-admin.
    tier: 2,
    elsewhere: { status: 404, body: (path) => absent(path.split("/").at(-2)) }
  },
  "DELETE /v1/credentials/:credential_id": {
    status: 200,
    prepare: victim,
    elsewhere: {
      status: 404,
      body: (path) => absent(path.split("/").at(-1))
    }
  },
  "GET /v1/whoami": { status: 200, prepare: at("/v1/whoami") },
  "GET /v1/quotas": {
    status: 200,
    prepare: at("/v1/quotas"),
    // Not TenantScoped, because ?project= gives an administrator a project to ask about.
    administrator: {
      status: 409,
      body: {
        detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant",
        code: "tenant_required"
      }
    }
  },
  "GET /v1/iaas/*": { status: 200, prepare: at("/v1/iaas/compute/servers") },
  "POST /v1/iaas/*": {
    status: 200,
    prepare: Effect.sync(() => ({ path: "/v1/iaas/compute/os-keypairs", body: { keypair: { name: fresh("key") } } }))
  },
  "PUT /v1/iaas/*": { status: 200, prepare: network, elsewhere: { status: 404 } },
  "PATCH /v1/iaas/*": { status: 200, prepare: image, elsewhere: { status: 404 } },
  // No service of the platform has it: they answer so in their own words.
  "OPTIONS /v1/iaas/*": { status: 404, prepare: at("/v1/iaas/compute/servers"), elsewhere: { status: 404 } },
  "GET /v1/kubernetes/*": { status: 200, prepare: at("/v1/kubernetes/version") },
  // The API server knows no verb for it: only who may do everything is let through, and then no path takes it.
  "OPTIONS /v1/kubernetes/*": {
    status: 403,
    prepare: at("/v1/kubernetes/version"),
    administrator: {
      status: 405,
      body: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "the server does not allow this method on the requested resource",
        reason: "MethodNotAllowed",
        details: {},
        code: 405
      }
    }
  },
  "POST /v1/kubernetes/*": { status: 201, prepare: newConfigMap, elsewhere: { status: 404 } },
  "PUT /v1/kubernetes/*": { status: 200, prepare: configMap, elsewhere: { status: 404 } },
  "PATCH /v1/kubernetes/*": {
    status: 200,
    prepare: Effect.map(configMap, (_) => ({ ..._, headers: { "content-type": "application/merge-patch+json" } })),
    elsewhere: { status: 404 }
  },
  "DELETE /v1/kubernetes/*": {
    status: 200,
    prepare: Effect.map(configMap, ({ path }) => ({ path })),
    elsewhere: { status: 404 }
  },
  "DELETE /v1/iaas/*": { status: 204, prepare: securityGroup, elsewhere: { status: 404 } },
  ...agentSuccesses,
  ...accountSuccesses,
  ...projectSuccesses,
  ...peopleSuccesses,
  ...policySuccesses,
  ...moneySuccesses,
  ...monitoringSuccesses,
  ...targetSuccesses,
  ...auditSuccesses,
  ...eventSuccesses,
  ...edgeSuccesses,
  ...databaseSuccesses,
  ...natSuccesses,
  ...autoscalingSuccesses,
  ...dnsSuccesses,
  ...objectSuccesses,
  "GET /v1/tenants": { status: 200, prepare: at("/v1/tenants") },
  "GET /v1/tenants/drift": { status: 200, prepare: at("/v1/tenants/drift?limit=2") },
  "POST /v1/tenants/:project_id/repair": { status: 200, prepare: another("/repair") },
  "POST /v1/tenants": {
    status: 201,
    prepare: Effect.sync(() => ({ path: "/v1/tenants", body: { name: fresh("Onboarded") } }))
  },
  "POST /v1/tenants/:project_id/tier": { status: 200, prepare: another("/tier", { tier: "standard" }) },
  "POST /v1/tenants/:project_id/suspend": { status: 200, prepare: another("/suspend") },
  "GET /v1/journal": { status: 200, prepare: at("/v1/journal") },
  "POST /v1/journal/:attempt_id/retry": { status: 200, prepare: stuck },
  ...tokenSuccesses,
  ...signupSuccesses
}

/** Other ways in which a route succeeds, with more to do, and what becomes of them when their gateway is killed. */
export const longer: Readonly<
  Record<string, { readonly of: string; readonly row: Success; readonly outcome: Outcome }>
> = {
  "with a backup": { of: "POST /v1/databases", row: backedUp, outcome: "whole" },
  "of Kafka": { of: "POST /v1/databases", row: newKafka, outcome: "half" },
  "of a Kafka": { of: "DELETE /v1/databases/:engine/:name", row: kafkaRemoval, outcome: "half" },
  "after a deletion": { of: "POST /v1/nat-gateways", row: turnedOn, outcome: "whole" },
  "of several sets": { of: "POST /v1/dns/zones/:zone_id/import", row: longImport, outcome: "half" }
}
