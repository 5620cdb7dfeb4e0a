import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { isUncertain, listAt, succeeded, textAt } from "../client.ts"
import { type Load, onboard, operatorToken, type Tenant } from "./tenant.ts"

const sent = { plane: "operator", token: operatorToken } as const

/** Deletes a tenant, and waits until it is gone or this takes too long. */
export const deleted = Effect.fnUntraced(function* (load: Load, tenant: Pick<Tenant, "name" | "slug" | "projectId">) {
  const { client, evidence } = load
  const about = { ...sent, area: "deletion", tenant: tenant.name }
  evidence.knows("tenant", tenant.slug, tenant.name, "unknown")
  const asked = yield* client.call("DELETE", `/v1/projects/${tenant.projectId}?confirm=${tenant.slug}`, about)
  if (asked.status !== 202 && !isUncertain(asked)) return
  if (load.random.chance(0.15)) {
    yield* Effect.sleep(load.random.int(0, 1500))
    const back = yield* client.call("POST", `/v1/tenants/${tenant.projectId}/deletion/cancel`, about)
    if (succeeded(back)) return yield* deletedFinally(load, tenant)
  }
  yield* gone(load, tenant)
})

const deletedFinally = Effect.fnUntraced(function* (load: Load, tenant: Pick<Tenant, "name" | "slug" | "projectId">) {
  const about = { ...sent, area: "deletion", tenant: tenant.name }
  yield* load.client.call("DELETE", `/v1/projects/${tenant.projectId}?confirm=${tenant.slug}`, about)
  yield* gone(load, tenant)
})

const gone = Effect.fnUntraced(function* (load: Load, tenant: Pick<Tenant, "name" | "slug" | "projectId">) {
  for (let look = 0; look < 30; look++) {
    yield* Effect.sleep("2 seconds")
    const shown = yield* load.client.call("GET", `/v1/projects/${tenant.projectId}`, { ...sent, area: "deletion" })
    if (shown.status === 404) return load.evidence.knows("tenant", tenant.slug, tenant.name, "gone")
  }
})

/** A tenant's whole life at the operators': onboarded, moved, suspended, moved back, deleted or closed. */
export const lives = Effect.fnUntraced(function* (load: Load) {
  const { client, random } = load
  // Few names, so that one is asked for while another attempt has it, or right after it was freed.
  const name = `Churn${random.int(1, 8)}`
  const tenant = yield* onboard(load, name, random.pick(["discovery", "discovery", "standard"] as const))
  if (tenant === undefined) return yield* Effect.sleep(random.int(500, 2000))
  const about = { ...sent, tenant: name }
  const path = `/v1/tenants/${tenant.projectId}`
  for (let step = random.int(0, 3); step > 0; step--) {
    yield* Effect.sleep(random.int(200, 1500))
    const body = { tier: random.pick(["discovery", "standard", "extension"]) }
    yield* random.chance(0.3)
      ? client.call("POST", `${path}/suspend`, { ...about, area: "suspension" })
      : client.call("POST", `${path}/tier`, { ...about, area: "tier moves", body })
  }
  if (random.chance(0.3)) yield* closed(load, tenant)
  else yield* deleted(load, tenant)
})

/** Closes the account, and opens it again or ends it before its time. */
const closed = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { client, evidence, random } = load
  const about = { ...sent, area: "closures", tenant: tenant.name }
  const shown = yield* client.call("GET", `/v1/account?project=${tenant.projectId}`, about)
  const number = textAt(shown.json, "number")
  if (number === "") return yield* deleted(load, tenant)
  yield* client.call("POST", `/v1/account/close?project=${tenant.projectId}`, {
    ...about,
    body: { confirm: tenant.name }
  })
  if (random.chance(0.4)) {
    yield* client.call("POST", `/v1/tenants/accounts/${number}/reopen`, about)
    return yield* deleted(load, tenant)
  }
  evidence.knows("tenant", tenant.slug, tenant.name, "unknown")
  const body = { reason: "the soak ends it" }
  const ended = yield* client.call("POST", `/v1/tenants/accounts/${number}/finalize`, { ...about, body })
  if (succeeded(ended) || isUncertain(ended)) yield* gone(load, tenant)
})

/** Somebody signs up, and an operator decides. */
export const signups = Effect.fnUntraced(function* (load: Load) {
  const { client, evidence, random } = load
  const number = random.int(1, 1e9)
  const body = { email: `s${number}@soak-${number}.example`, org_name: `Signup ${number}` }
  yield* client.call("POST", "/v1/signup", { area: "signups", body })
  yield* Effect.sleep(random.int(200, 1500))
  const about = { ...sent, area: "signups" }
  const queue = yield* client.call("GET", "/v1/signups?state=pending&limit=100", about)
  yield* client.call("GET", "/v1/signups/capacity", about)
  const waiting = listAt(queue.json, "signups")
  if (waiting.length === 0) return
  const signup = random.pick(waiting)
  const id = textAt(signup, "signup_id")
  if (random.chance(0.5)) return yield* client.call("POST", `/v1/signups/${id}/reject`, about)
  const name = textAt(signup, "org_name")
  const decided = yield* client.call("POST", `/v1/signups/${id}/approve`, {
    ...about,
    key: randomUUID(),
    body: { tier: "discovery" }
  })
  const projectId = textAt(decided.json, "tenant", "project_id")
  const slug = textAt(decided.json, "tenant", "slug")
  if (!succeeded(decided) || slug === "") return
  evidence.knows("tenant", slug, name, "there")
  yield* Effect.sleep(random.int(500, 4000))
  yield* deleted(load, { name, slug, projectId })
})

/** What operators look at. */
export const looks = Effect.fnUntraced(function* (load: Load) {
  const path = load.random.pick([
    "/v1/tenants",
    "/v1/journal",
    "/health/ready",
    "/v1/monitoring/upstreams",
    "/v1/capacity",
    "/v1/tenants/accounts?limit=10",
    "/v1/audit?limit=100",
    "/v1/tenants/drift?limit=3"
  ])
  yield* load.client.call("GET", path, { ...sent, area: "operators' reads" })
})
