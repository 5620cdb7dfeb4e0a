import { fixtures } from "@portico/simulator/Fixtures"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Effect } from "effect"
import { type Answer, at, type Gateway, textAt } from "./stage.ts"

/** A tenant that a gateway has made. */
export interface Tenant {
  readonly slug: string
  readonly projectId: string
  readonly credentialId: string
  readonly token: string
}

/** A key that a tenant has minted. */
export interface Key {
  readonly id: string
  readonly token: string
}

/** Fails the rehearsal when its own preparations go wrong. */
export const must = (answer: Answer, what: string): Answer => {
  if (answer.status >= 400) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.json)}`)
  return answer
}

/** An access token for a credential's id and secret. */
const login = (cloud: string, clientId: string, secret: string) =>
  Effect.promise(async () => {
    const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
    const response = await fetch(`${cloud}/idp/oauth/v2/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope })
    })
    return textAt(await response.json(), "access_token")
  })

export const onboard = Effect.fnUntraced(function* (gateway: Gateway, cloud: string, name: string) {
  const answer = yield* gateway.operator("POST", "/v1/tenants", { body: { name, tier: "standard" } })
  const credential = at(must(answer, `onboard ${name}`).json, "credential")
  const token = yield* login(cloud, textAt(credential, "client_id"), textAt(credential, "client_secret"))
  return {
    slug: textAt(answer.json, "tenant", "slug"),
    projectId: textAt(answer.json, "tenant", "project_id"),
    credentialId: textAt(credential, "id"),
    token
  } satisfies Tenant
})

/** What a tenant usually has. */
export const furnish = Effect.fnUntraced(function* (gateway: Gateway, { slug, token }: Tenant) {
  const make = (path: string, body: unknown) =>
    Effect.map(gateway.customer("POST", path, { token, body }), (_) => must(_, path))
  yield* make("/v1/object-storage/buckets", { name: `${slug}-files` })
  yield* make("/v1/dns/zones", { name: `${slug}.example.` })
  yield* make("/v1/iaas/volume/volumes", { volume: { name: `${slug}-disk`, size: 1 } })
})

export const mint = Effect.fnUntraced(function* (gateway: Gateway, { token }: Tenant, label: string, key?: string) {
  const answer = yield* gateway.customer("POST", "/v1/credentials", {
    token,
    body: { kind: "api-key", tier: 1, label },
    ...(key === undefined ? {} : { key })
  })
  const { json } = must(answer, `mint ${label}`)
  return { id: textAt(json, "credential_id"), token: textAt(json, "pat") } satisfies Key
})

/** Invites a person, and returns the user id. */
export const invite = Effect.fnUntraced(function* (gateway: Gateway, { projectId }: Tenant, email: string) {
  const answer = yield* gateway.operator("POST", "/v1/org/users/invite", {
    body: { email, role: "customer-admin", project_id: projectId }
  })
  return textAt(must(answer, `invite ${email}`).json, "user_id")
})
