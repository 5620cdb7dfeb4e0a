import { tierOf } from "./Access.ts"

/**
 * What a write does in a suspended tenant (contract, States and transitions:
 * what runs keeps running, and nothing new can be created). `creates`: refused
 * with 403. `changes`: allowed, because it creates nothing. `grows`: some of
 * its calls create something, and the operation refuses those.
 */
export type Act = "creates" | "changes" | "grows"

/** Every declared POST, PUT and PATCH of tenants, without the proxies, which check the platform's own operations. */
export const acts: Readonly<Record<string, Act>> = {
  "POST /v1/credentials": "creates",
  // A rotation replaces a key: a leaked one can be replaced in any state of the tenant.
  "POST /v1/credentials/:credential_id/rotate": "changes",
  "POST /v1/agents": "creates",
  "PUT /v1/agents/policy": "changes",
  // The exchange grants no new right: running workloads need a new Bearer every hour under an existing mapping.
  "POST /v1/workload-identity/token-exchange": "changes",
  // A new person is refused; a member's role can be lowered.
  "POST /v1/org/users/invite": "grows",
  "PUT /v1/org/users/:user_id/billing": "changes",
  "POST /v1/org/ous": "creates",
  "PUT /v1/org/ous/:path/members/:id": "changes",
  // A policy only takes rights away.
  "PUT /v1/access/policy": "changes",
  "POST /v1/account/close": "changes",
  "POST /v1/object-storage/buckets": "creates",
  "POST /v1/object-storage/buckets/:name/objects/:key/presigned": "creates",
  "PUT /v1/object-storage/buckets/:name/versioning": "changes",
  "PUT /v1/object-storage/buckets/:name/cors": "changes",
  // Together with the deletion of the old key it ends a leak.
  "POST /v1/object-storage/credentials/rotate": "changes",
  "POST /v1/databases": "creates",
  "PATCH /v1/databases/:engine/:name": "grows",
  "POST /v1/databases/:engine/:name/rotate-credentials": "changes",
  "POST /v1/databases/:engine/:name/restore": "creates",
  "POST /v1/nat-gateways": "creates",
  "POST /v1/autoscaling/groups": "creates",
  "PATCH /v1/autoscaling/groups/:group_id": "grows",
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": "grows",
  "POST /v1/dns/zones": "creates",
  "PATCH /v1/dns/zones/:zone_id": "changes",
  "POST /v1/dns/zones/:zone_id/recordsets": "creates",
  "PATCH /v1/dns/zones/:zone_id/recordsets/:recordset_id": "changes",
  // An import that only changes and removes is allowed.
  "POST /v1/dns/zones/:zone_id/import": "grows",
  "POST /v1/edge/exposures": "creates",
  // A verified domain is routed from then on.
  "POST /v1/edge/exposures/:exposure_id/verify": "grows",
  "POST /v1/edge/resync": "changes",
  "POST /v1/alarms": "creates",
  "PATCH /v1/alarms/:alarm_id": "changes",
  "POST /v1/webhooks": "creates",
  "PATCH /v1/webhooks/:webhook_id": "changes",
  "POST /v1/webhooks/:webhook_id/test": "changes",
  "POST /v1/webhooks/:webhook_id/rotate-secret": "changes",
  "POST /v1/webhooks/:webhook_id/redeliver": "changes",
  "POST /v1/integrations": "creates",
  "PATCH /v1/integrations/:integration_id": "changes",
  "POST /v1/integrations/:integration_id/test": "changes",
  "POST /v1/integrations/:integration_id/confirm": "changes",
  "POST /v1/integrations/:integration_id/rotate-secret": "changes",
  "POST /v1/integrations/:integration_id/redeliver": "changes",
  "POST /v1/budgets": "creates"
}

/** Whether a suspended tenant is refused the endpoint. A write that is not listed counts as a creation. */
export const isRefusedWhileSuspended = ({
  method,
  path
}: {
  readonly method: string
  readonly path: string
}): boolean => {
  if (tierOf(method) !== 1) return false
  const name = `${method} ${path}`
  return (Object.hasOwn(acts, name) ? acts[name] : "creates") === "creates"
}
