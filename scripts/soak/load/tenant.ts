import { fixtures } from "@portico/simulator/Fixtures"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import type { Tier } from "@portico/contract/Tiers"
import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { request } from "undici"
import { type Answer, type Client, isUncertain, succeeded, textAt } from "../client.ts"
import type { Evidence, Knowledge } from "../evidence.ts"
import type { SeededRandom } from "../random.ts"
import type { Receiver } from "../stage/receiver.ts"

/** What the load works with. */
export interface Load {
  readonly client: Client
  readonly evidence: Evidence
  readonly receiver: Receiver
  readonly cloud: string
  /** Of the part of the load that it is given to. */
  readonly random: SeededRandom
}

export const operatorToken = fixtures.idp.operatorToken

/** A tenant of the load, and what calls with. */
export interface Tenant {
  readonly name: string
  readonly slug: string
  readonly projectId: string
  readonly networkId: string
  readonly token: string
}

/** The access token of a key, as a client of the identity provider gets it: asked for until there is one. */
export const tokenOf = (cloud: string, clientId: string, secret: string): Effect.Effect<string> =>
  Effect.tryPromise(async () => {
    const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
    const pair = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")
    const { body } = await request(`${cloud}/idp/oauth/v2/token`, {
      method: "POST",
      headers: { authorization: `Basic ${pair}`, "content-type": "application/x-www-form-urlencoded" },
      body: String(new URLSearchParams({ grant_type: "client_credentials", scope })),
      headersTimeout: 5_000
    })
    const token = textAt(await body.json(), "access_token")
    if (token === "") throw new Error("no token")
    return token
  }).pipe(Effect.retry(Schedule.spaced("500 millis")), Effect.orDie)

/** Asks the operator plane for a tenant. Undefined where the answer is no, or never came. */
export const onboard = Effect.fnUntraced(function* (load: Load, name: string, tier: Tier, area = "onboarding") {
  const { client, cloud, evidence } = load
  evidence.knows("tenant", name.toLowerCase(), name, "unknown")
  const answer = yield* client.call("POST", "/v1/tenants", {
    area,
    plane: "operator",
    token: operatorToken,
    tenant: name,
    key: randomUUID(),
    body: { name, tier }
  })
  const projectId = textAt(answer.json, "tenant", "project_id")
  const slug = textAt(answer.json, "tenant", "slug")
  const networkId = textAt(answer.json, "tenant", "network", "network_id")
  if (!succeeded(answer)) {
    if (!isUncertain(answer)) evidence.knows("tenant", name.toLowerCase(), name, "gone")
    return undefined
  }
  evidence.knows("tenant", slug, name, "there")
  const secret = textAt(answer.json, "credential", "client_secret")
  // A repeated answer has no secret: the tenant is there, and its first key is lost to this client.
  if (secret === "") return { name, slug, projectId, networkId, token: "" } satisfies Tenant
  const token = yield* tokenOf(cloud, textAt(answer.json, "credential", "client_id"), secret)
  return { name, slug, projectId, networkId, token } satisfies Tenant
})

/** Calls as a tenant. */
export const as = (load: Load, tenant: Tenant, area: string) => {
  const send = (method: string, path: string, more: { readonly body?: unknown; readonly key?: string } = {}) =>
    load.client.call(method, path, { area, token: tenant.token, tenant: tenant.name, ...more })

  const know = (kind: string, id: string, known: Knowledge) => load.evidence.knows(kind, id, tenant.name, known)

  return {
    send,
    know,
    get: (path: string) => Effect.asVoid(send("GET", path)),
    /** Makes a thing under a key; answers its id, or undefined when it is not known to be there. */
    make: Effect.fnUntraced(function* (
      kind: string,
      path: string,
      body: unknown,
      idOf: (answer: Answer) => string,
      /** Its id, where the client chooses it. */
      chosen?: string
    ) {
      if (chosen !== undefined) know(kind, chosen, "unknown")
      // What is forwarded takes no key: a create whose answer is lost stays one that nobody knows of.
      const keyed = path.startsWith("/v1/iaas/") ? {} : { key: randomUUID() }
      const answer = yield* send("POST", path, { body, ...keyed })
      if (!succeeded(answer)) {
        if (chosen !== undefined && !isUncertain(answer)) know(kind, chosen, "gone")
        return undefined
      }
      const id = chosen ?? idOf(answer)
      if (id === "") return undefined
      know(kind, id, "there")
      return { id, answer }
    }),
    /** Removes a thing; what was there a moment ago may not be a 404. */
    remove: Effect.fnUntraced(function* (kind: string, path: string, id: string) {
      const before = load.evidence.things.get(`${kind} ${id}`)?.known
      know(kind, id, "unknown")
      const answer = yield* send("DELETE", path)
      if (answer.status === 404 && before === "there") {
        load.evidence.complaints.push(`${kind} ${id} of ${tenant.name} was answered as made, and then as 404`)
      }
      if (succeeded(answer) || answer.status === 404) know(kind, id, "gone")
      // A 429 without a code is a service's that fails, and may have done it before.
      const isRefusal = answer.status !== null && answer.status < 500 && textAt(answer.json, "code") !== ""
      if (isRefusal && answer.status !== 404 && before === "there") know(kind, id, "there")
      return answer
    })
  }
}
