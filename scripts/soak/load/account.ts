import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { request } from "undici"
import { succeeded, textAt } from "../client.ts"
import { as, type Load, operatorToken, type Tenant } from "./tenant.ts"

export const credentials = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get, know, make, remove, send } = as(load, tenant, "credentials")
  const body = { kind: "api-key", tier: load.random.int(0, 2), label: `soak-${randomUUID()}` }
  const made = yield* make("credential", "/v1/credentials", body, (_) => textAt(_.json, "credential_id"))
  if (made === undefined) return
  const pat = textAt(made.answer.json, "pat")
  if (pat !== "") yield* load.client.call("GET", "/v1/whoami", { area: "credentials", token: pat, tenant: tenant.name })
  yield* get("/v1/credentials?limit=20")
  const ids = [made.id]
  if (load.random.chance(0.3)) {
    const rotated = yield* send("POST", `/v1/credentials/${made.id}/rotate`, {
      body: { overlap_seconds: 3600 },
      key: randomUUID()
    })
    const id = textAt(rotated.json, "credential_id")
    if (succeeded(rotated) && id !== "") {
      know("credential", id, "there")
      ids.push(id)
    } else know("credential", made.id, "unknown")
  }
  yield* Effect.sleep(load.random.int(100, 3000))
  for (const id of ids) {
    const ended = yield* remove("credential", `/v1/credentials/${id}`, id)
    if (succeeded(ended) && pat !== "" && id === made.id) {
      const late = yield* load.client.call("GET", "/v1/whoami", { area: "revoked", token: pat, tenant: tenant.name })
      // Another replica may take a moment to hear of it.
      if (late.status === 200) {
        yield* Effect.sleep("5 seconds")
        const again = yield* load.client.call("GET", "/v1/whoami", { area: "revoked", token: pat, tenant: tenant.name })
        if (again.status === 200) load.evidence.complaints.push(`the revoked credential ${id} was let in 5 s later`)
      }
    }
  }
})

export const objects = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get, make, remove, send } = as(load, tenant, "objects")
  const name = `soak-${load.random.int(1, 1e9)}`
  const path = `/v1/object-storage/buckets/${name}`
  const made = yield* make("bucket", "/v1/object-storage/buckets", { name }, () => name, name)
  if (made === undefined) return
  const asked = yield* send("POST", `${path}/objects/one/presigned`, {
    body: { content_length: 7, content_type: "text/plain" }
  })
  const url = textAt(asked.json, "url")
  if (url !== "") {
    yield* Effect.ignore(
      Effect.tryPromise(async () => {
        const headers = { "content-type": "text/plain", "if-none-match": "*" }
        await (await request(url, { method: "PUT", headers, body: "content", headersTimeout: 5_000 })).body.dump()
      })
    )
  }
  yield* get(`${path}/objects`)
  yield* Effect.sleep(load.random.int(200, 2500))
  yield* send("DELETE", `${path}/objects/one`)
  yield* remove("bucket", path, name)
})

export const money = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get, make, remove } = as(load, tenant, "money")
  yield* get(load.random.pick(["/v1/cost/breakdown", "/v1/cost/forecast", "/v1/invoices?limit=5"]))
  const made = yield* make("budget", "/v1/budgets", { amount_cents: load.random.int(1, 100_000) }, (_) =>
    textAt(_.json, "budget_id")
  )
  if (made === undefined) return
  yield* Effect.sleep(load.random.int(300, 3000))
  yield* remove("budget", `/v1/budgets/${made.id}`, made.id)
})

/** A webhook that comes and goes; the one that stays is made by {@link lastingWebhook}. */
export const webhooks = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make, remove, send } = as(load, tenant, "webhooks")
  const name = `${tenant.slug}-${load.random.int(1, 1e9)}`
  const made = yield* make("webhook", "/v1/webhooks", { url: `${load.receiver.url}/${name}` }, (_) =>
    textAt(_.json, "webhook_id")
  )
  if (made === undefined) return
  load.receiver.trust(name, textAt(made.answer.json, "secret"))
  yield* Effect.sleep(load.random.int(500, 3000))
  yield* send("GET", `/v1/webhooks/${made.id}/deliveries`)
  yield* remove("webhook", `/v1/webhooks/${made.id}`, made.id)
})

/** A webhook for everything that happens to the tenant, until the end of the run; answers its id. */
export const lastingWebhook = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make } = as(load, tenant, "webhooks")
  const body = { url: `${load.receiver.url}/${tenant.slug}` }
  const made = yield* make("webhook", "/v1/webhooks", body, (_) => textAt(_.json, "webhook_id"))
  if (made === undefined) return ""
  load.receiver.trust(tenant.slug, textAt(made.answer.json, "secret"))
  return made.id
})

/** Rotates its secret: what signs from then on is the new one and, for an hour, the one before. */
export const rotateSecret = Effect.fnUntraced(function* (load: Load, tenant: Tenant, webhookId: string) {
  const { send } = as(load, tenant, "webhooks")
  const rotated = yield* send("POST", `/v1/webhooks/${webhookId}/rotate-secret`, { body: { overlap_seconds: 3600 } })
  // Without an answer it may have been rotated.
  const isKnown = rotated.status === null || rotated.status < 300
  if (isKnown) load.receiver.trust(tenant.slug, textAt(rotated.json, "secret"))
})

export const people = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const sent = { area: "people", plane: "operator", token: operatorToken, tenant: tenant.name } as const
  const email = `p${load.random.int(1, 1e9)}@soak.example`
  const body = { email, role: "customer", project_id: tenant.projectId }
  const invited = yield* load.client.call("POST", "/v1/org/users/invite", { ...sent, body, key: randomUUID() })
  const id = textAt(invited.json, "user_id")
  if (id === "") return
  yield* Effect.sleep(load.random.int(200, 2000))
  yield* load.client.call("DELETE", `/v1/org/users/${id}`, sent)
})

/** Pages of what is kept of the tenant. */
export const reads = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { get } = as(load, tenant, "reads")
  const paths = ["/v1/audit?limit=50", "/v1/events?limit=50", "/v1/quotas", "/v1/whoami", "/v1/status", "/v1/account"]
  yield* get(load.random.pick(paths))
})
