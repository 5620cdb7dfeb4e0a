import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, type Scope } from "effect"
import { Cast, mint, operator, tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { putObject } from "../objectStorage/objectStore.ts"
import type { Success } from "../routes/Success.ts"
import { successes } from "../routes/successes.ts"
import { receiver } from "../targets/Receiver.ts"

interface Request extends Effect.Success<Success["prepare"]> {
  /** Of another caller than usual. */
  readonly token?: string
}

export type Scene = Effect.Effect<Request, never, Effect.Services<Success["prepare"]> | Scope.Scope>

const asAcme = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { acme } = yield* Cast
  const answer = yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[2], body })
  return answer.text === "" ? undefined : jsonOf(answer)
})

/** The usual request of a route, with a body or a query that shows more. */
const sent = (name: string, change: { readonly body?: unknown; readonly query?: string }): Scene =>
  Effect.map(successes[name]!.prepare, (_) => ({
    ..._,
    path: change.query === undefined ? _.path : `${_.path.split("?")[0]}?${change.query}`,
    body: change.body ?? _.body
  }))

/** The usual request of a route, after that of another one was carried out. */
const after = (name: string, first: string): Scene =>
  Effect.gen(function* () {
    const { body, path } = yield* scenes[first] ?? successes[first]!.prepare
    yield* asAcme(first.split(" ")[0] ?? "", path, body)
    return yield* scenes[name] ?? successes[name]!.prepare
  })

const at = (path: string): Scene => Effect.succeed({ path })

/** A tenant with a short past: what it did is all that its logs hold. */
let newcomers = 0
const newcomer = Effect.suspend(() => Effect.map(tenant(`Hooli-${(newcomers += 1)}`), ({ tokens }) => tokens[2]))

/** A list of what the route before it makes. */
const listed = (path: string, made: string): Scene => Effect.as(after(made, made), { path })

const media = "matrix-bucket"

const withObjects = Effect.gen(function* () {
  yield* asAcme("POST", "/v1/object-storage/buckets", { name: media })
  const { access_key, secret_key } = yield* asAcme("GET", "/v1/object-storage/credentials")
  const keys = { accessKey: access_key, secretKey: secret_key }
  yield* putObject(keys, media, "reports/2026-01.pdf", "January")
  yield* putObject(keys, media, "reports/2026-02.pdf", "February")
})

const objects = `/v1/object-storage/buckets/${media}/objects`

/** A volume that has been there for a month and a half, so that it is on an invoice. */
const billed = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { world } = yield* SimulatedCloud
  const volume = {
    project_id: acme.projectId,
    resource_type: "volume",
    flavor: null,
    size_gb: 500,
    volume_type: "ssd"
  }
  const id = "0f7c1a52-6f0d-4a1c-9a55-3d0c2b1e8f64"
  world.billing.events[id] = {
    ...volume,
    id,
    kind: "volume.create",
    at: Date.parse("2026-01-16T00:00:00Z"),
    resource_id: id
  }
})

const group = {
  name: "web",
  min: 2,
  max: 5,
  template: { flavor_id: "2", image_id: "1a000000-0000-4000-8000-000000000001" },
  policies: [
    { name: "scale-out", adjustment: 2, cooldown_seconds: 120 },
    { name: "scale-in", adjustment: -1, cooldown_seconds: 600 }
  ]
}

const settings = Effect.gen(function* () {
  const { acme } = yield* Cast
  const body = { metadata: { name: "settings" }, data: { LOG_LEVEL: "info" } }
  const path = `/v1/kubernetes/api/v1/namespaces/db-${acme.projectId}/configmaps`
  yield* asAcme("DELETE", `${path}/settings`)
  return { path, body }
})

const configMap = Effect.gen(function* () {
  const { body, path } = yield* settings
  yield* asAcme("POST", path, body)
  return `${path}/settings`
})

/** A subscription whose endpoint takes what it is sent. */
const answered = (kind: "webhooks" | "integrations", rest: string, body: object): Scene =>
  Effect.gen(function* () {
    yield* successes[`POST /v1/${kind}`]!.prepare
    const { url } = yield* receiver
    const made = yield* asAcme("POST", `/v1/${kind}`, { ...body, url })
    const id = made.webhook_id ?? made.integration_id
    return { path: `/v1/${kind}/${id}${rest}` }
  })

const slack = { kind: "slack", name: "channel" }
const rule = { metric: "cpu", instance_id: "00000000-0000-4000-8000-00000000acfe", comparison: "gt", threshold: 90 }

/** Where the usual success of a route says too little to a reader: a request that says more. */
export const scenes: Readonly<Record<string, Scene>> = {
  "POST /v1/credentials": sent("POST /v1/credentials", {
    body: {
      kind: "api-key",
      tier: 1,
      label: "deploy pipeline",
      expires_in_days: 90,
      networks: ["198.51.100.0/24"]
    }
  }),
  "POST /v1/agents": sent("POST /v1/agents", { body: { label: "coding agent", tier: 1, expires_in_days: 2 } }),
  // The one that the example before it has made: two of the same moment have no order.
  "GET /v1/agents": at("/v1/agents?limit=10"),
  "PUT /v1/agents/policy": sent("PUT /v1/agents/policy", {
    body: { enabled: true, confirm: ["billed", "irreversible", "compute_write"] }
  }),
  "GET /v1/credentials": at("/v1/credentials?limit=2&include_revoked=false"),
  "GET /v1/credentials/usage": at("/v1/credentials/usage?limit=2"),
  "POST /v1/credentials/:credential_id/rotate": sent("POST /v1/credentials/:credential_id/rotate", {
    body: { overlap_seconds: 86_400 }
  }),
  "POST /v1/org/users/invite": Effect.map(successes["POST /v1/org/users/invite"]!.prepare, (_) => ({
    path: _.path,
    body: { ...Object(_.body), role: "customer-engineer" }
  })),
  "GET /v1/object-storage/buckets": Effect.as(withObjects, { path: "/v1/object-storage/buckets" }),
  "GET /v1/object-storage/buckets/:name/objects": Effect.as(withObjects, {
    path: `${objects}?prefix=reports%2F&delimiter=%2F&limit=100`
  }),
  "GET /v1/object-storage/buckets/:name/versions": Effect.as(withObjects, {
    path: `/v1/object-storage/buckets/${media}/versions?prefix=reports%2F&limit=100`
  }),
  "DELETE /v1/object-storage/buckets/:name/objects/:key": Effect.as(withObjects, {
    path: `${objects}/reports%2F2026-01.pdf`
  }),
  "GET /v1/object-storage/buckets/:name/cors": listed(
    `/v1/object-storage/buckets/${media}/cors`,
    "PUT /v1/object-storage/buckets/:name/cors"
  ),
  "GET /v1/object-storage/buckets/:name/objects/:key/presigned": Effect.as(withObjects, {
    path: `${objects}/reports%2F2026-02.pdf/presigned?expires_in=900`
  }),
  "GET /v1/iaas/*": at("/v1/iaas/network/networks"),
  "POST /v1/iaas/*": Effect.sync(() => ({
    path: "/v1/iaas/compute/os-keypairs",
    body: {
      keypair: {
        name: "laptop",
        public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0bDv7nW0kQqMz6cVr1kXl0Qm7m0y4w3Zc5h8t1uPa ada@acme.example"
      }
    }
  })),
  "PUT /v1/iaas/*": sent("PUT /v1/iaas/*", { body: { network: { description: "The network of the web servers" } } }),
  "GET /v1/kubernetes/*": Effect.map(configMap, (path) => ({ path })),
  "POST /v1/kubernetes/*": settings,
  "PUT /v1/kubernetes/*": Effect.map(configMap, (path) => ({
    path,
    body: { metadata: { name: "settings" }, data: { LOG_LEVEL: "debug" } }
  })),
  "PATCH /v1/kubernetes/*": Effect.map(configMap, (path) => ({
    path,
    headers: { "content-type": "application/merge-patch+json" },
    body: { data: { LOG_LEVEL: "warn" } }
  })),
  "DELETE /v1/kubernetes/*": Effect.map(configMap, (path) => ({ path })),
  "GET /v1/cost/breakdown": Effect.as(billed, { path: "/v1/cost/breakdown?group_by=line&period=2026-01" }),
  "GET /v1/cost/forecast": Effect.as(billed, { path: "/v1/cost/forecast" }),
  "GET /v1/invoices": Effect.as(billed, { path: "/v1/invoices?limit=1" }),
  "POST /v1/budgets": Effect.succeed({ path: "/v1/budgets", body: { amount_cents: 50_000, period: "monthly" } }),
  "GET /v1/budgets": listed("/v1/budgets?limit=1", "POST /v1/budgets"),
  "POST /v1/databases": sent("POST /v1/databases", {
    body: { engine: "postgres", name: "orders", version: "17", size_gb: 20, backup: { enabled: true } }
  }),
  "GET /v1/databases": after("GET /v1/databases/:engine/:name", "GET /v1/databases/:engine/:name").pipe(
    Effect.as({ path: "/v1/databases" })
  ),
  "POST /v1/autoscaling/groups": sent("POST /v1/autoscaling/groups", { body: group }),
  "GET /v1/autoscaling/groups": listed("/v1/autoscaling/groups", "POST /v1/autoscaling/groups"),
  "POST /v1/dns/zones": Effect.succeed({
    path: "/v1/dns/zones",
    body: { name: "fresh-1.example.", email: "hostmaster@acme.example", ttl: 3600 }
  }),
  "GET /v1/dns/zones/:zone_id/recordsets": sent("GET /v1/dns/zones/:zone_id/recordsets", { query: "type=A&limit=10" }),
  "POST /v1/dns/zones/:zone_id/recordsets": sent("POST /v1/dns/zones/:zone_id/recordsets", {
    body: { name: "api", type: "A", ttl: 300, records: ["203.0.113.20", "203.0.113.21"] }
  }),
  "POST /v1/dns/zones/:zone_id/import": sent("POST /v1/dns/zones/:zone_id/import", {
    body: { zonefile: "api 300 IN A 203.0.113.20\nmail 3600 IN MX 10 mx.acme.example.\n", dry_run: true }
  }),
  "GET /v1/events": Effect.map(newcomer, (token) => ({
    token,
    path: "/v1/events?limit=2&topic=iam.credentials&kind=credential.created&order=asc"
  })),
  "GET /v1/events/tail": Effect.gen(function* () {
    const token = yield* newcomer
    yield* mint(token, 0, "night shift")
    const { path } = yield* successes["GET /v1/events/tail"]!.prepare
    const { credentials } = jsonOf(
      yield* (yield* TestGateway).call("customer", "GET", "/v1/credentials?label=night%20shift", { token })
    )
    const { call } = yield* TestGateway
    yield* call("customer", "DELETE", `/v1/credentials/${credentials[0].credential_id}`, { token })
    return { token, path: `${path}&kind=credential.revoked` }
  }),
  "GET /v1/audit": Effect.map(newcomer, (token) => ({
    token,
    path: "/v1/audit?limit=2&method=POST&status=2xx&order=asc"
  })),
  "GET /v1/audit/export": Effect.map(newcomer, (token) => ({ token, path: "/v1/audit/export?method=POST" })),
  "POST /v1/status/incidents": Effect.succeed({
    path: "/v1/status/incidents",
    body: {
      kind: "incident",
      title: "Slow disks",
      services: ["storage"],
      severity: "minor",
      message: "Volumes answer more slowly than usual. The cause is known and is being removed."
    }
  }),
  "GET /v1/metrics/instances/:id/history": sent("GET /v1/metrics/instances/:id/history", {
    query: "metric=memory&step=600"
  }),
  "POST /v1/alarms": sent("POST /v1/alarms", {
    body: {
      name: "High load on the web server",
      description: "More than 90 percent for five minutes",
      severity: "moderate",
      rule: { ...rule, period_seconds: 60, evaluation_periods: 5 }
    }
  }),
  "GET /v1/alarms": listed("/v1/alarms?state=insufficient_data", "POST /v1/alarms"),
  "POST /v1/webhooks": sent("POST /v1/webhooks", {
    body: {
      url: "http://127.0.0.1:1/",
      description: "Notes every change of a credential",
      topics: ["iam.credentials"]
    }
  }),
  "GET /v1/webhooks": listed("/v1/webhooks", "POST /v1/webhooks"),
  "GET /v1/webhooks/:webhook_id/deliveries": Effect.gen(function* () {
    const { body, path } = yield* successes["POST /v1/webhooks/:webhook_id/redeliver"]!.prepare
    yield* asAcme("POST", path, body)
    return { path: path.replace("/redeliver", "/deliveries") }
  }),
  "POST /v1/webhooks/:webhook_id/test": answered("webhooks", "/test", {}),
  "POST /v1/webhooks/:webhook_id/rotate-secret": sent("POST /v1/webhooks/:webhook_id/rotate-secret", {
    body: { overlap_seconds: 3600 }
  }),
  "GET /v1/integrations": listed("/v1/integrations", "POST /v1/integrations"),
  "POST /v1/integrations/:integration_id/test": answered("integrations", "/test", slack),
  "GET /v1/projects": at("/v1/projects?limit=10"),
  "POST /v1/tenants/accounts/:number/finalize": sent("POST /v1/tenants/accounts/:number/finalize", {
    body: { reason: "The owner asked for it in writing" }
  }),
  "POST /v1/tenants": Effect.succeed({ path: "/v1/tenants", body: { name: "Initech GmbH", tier: "standard" } }),
  "GET /v1/tenants": at("/v1/tenants?limit=2"),
  "GET /v1/journal": Effect.as(successes["POST /v1/journal/:attempt_id/retry"]!.prepare, { path: "/v1/journal" }),
  "GET /v1/signups": Effect.gen(function* () {
    yield* successes["POST /v1/signups/:signup_id/reject"]!.prepare
    return { path: "/v1/signups?state=pending&limit=1" }
  })
}

export const callerOf = Effect.fnUntraced(function* (
  route: { readonly platformAdmin: boolean },
  { roles }: Pick<Success, "roles">
) {
  const { acme, customerOwner } = yield* Cast
  return route.platformAdmin ? operator : roles === undefined ? acme.tokens[2] : customerOwner
})
