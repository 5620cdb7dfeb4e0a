import type { Tier } from "@portico/contract/Tiers"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { audienceScope, issueAccessToken, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { type CredentialRow, Credentials, type MemberRole } from "@portico/store/Credentials"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { send } from "./http.ts"
import { once } from "./once.ts"
import { jsonOf, TestGateway } from "./TestGateway.ts"

export const operator = fixtures.idp.operatorToken

/** A tenant with a credential of each tier. */
export interface Tenant {
  readonly name: string
  readonly projectId: string
  readonly networkId: string
  readonly routerId: string
  readonly tokens: readonly [string, string, string]
  readonly credentialIds: readonly [string, string, string]
}

/** Everybody who may call: two tenants, their credentials in every state, and people. */
export class Cast extends Context.Service<
  Cast,
  {
    readonly acme: Tenant
    readonly globex: Tenant
    readonly revoked: string
    readonly expired: string
    readonly suspended: string
    /** People of acme with these roles. */
    readonly customerOwner: string
    readonly customerAdmin: string
    /** People whom the identity provider knows: one without any role, one with a role and no tenant. */
    readonly roleless: string
    readonly unbound: string
  }
>()("portico/gateway/test/Cast") {
  /** Made by the gateway itself: for clouds with real parts, which a copy of the simulated one does not fill. */
  static readonly made = Layer.effect(
    Cast,
    Effect.gen(function* () {
      const acme = yield* tenant("Acme")
      const globex = yield* tenant("Globex")
      const expired = yield* mint(acme.tokens[2], 2, "expired", { expires_in_days: 1 })
      yield* change(expired.credential_id, { expires_at: DateTime.makeUnsafe(0) })
      // Of the other tenant, because a deletion of acme that is taken back restores what it held.
      const suspended = yield* mint(globex.tokens[2], 2, "suspended")
      yield* change(suspended.credential_id, { state: "suspended", held: ["project_deletion"] })
      const revoked = yield* mint(acme.tokens[2], 2, "revoked")
      const { call } = yield* TestGateway
      yield* call("customer", "DELETE", `/v1/credentials/${revoked.credential_id}`, { token: acme.tokens[2] })
      return Cast.of({
        acme,
        globex,
        revoked: revoked.pat,
        expired: expired.pat,
        suspended: suspended.pat,
        customerOwner: yield* person("oscar", ["customer-owner"], acme.projectId, "customer-owner"),
        customerAdmin: yield* person("ada", ["customer-admin"], acme.projectId),
        roleless: yield* person("rolf", []),
        unbound: yield* person("ursula", ["customer"])
      })
    })
  )

  static readonly layer = once(this, this.made)
}

/** Onboards a tenant and mints a personal access token of each tier, all through the API. */
export const tenant = Effect.fnUntraced(function* (name: string, tier: Tier = "discovery") {
  const { call } = yield* TestGateway
  const onboarded = yield* call("operator", "POST", "/v1/tenants", { token: operator, body: { name, tier } })
  if (onboarded.status !== 201) return yield* Effect.die(`${name}: ${onboarded.text}`)
  const { credential, tenant } = jsonOf(onboarded)
  const first = yield* accessToken(credential.client_id, credential.client_secret)
  const minted = [
    yield* mint(first, 0, `${name} 0`),
    yield* mint(first, 1, `${name} 1`),
    yield* mint(first, 2, `${name} 2`)
  ] as const
  return {
    name,
    projectId: tenant.project_id,
    networkId: tenant.network.network_id,
    routerId: tenant.network.router_id,
    tokens: [minted[0].pat, minted[1].pat, minted[2].pat],
    credentialIds: [minted[0].credential_id, minted[1].credential_id, minted[2].credential_id]
  } satisfies Tenant
})

export const mint = Effect.fnUntraced(function* (token: string, tier: number, label: string, more: object = {}) {
  const { call } = yield* TestGateway
  const body = { kind: "api-key", tier, label, ...more }
  const answer = yield* call("customer", "POST", "/v1/credentials", { token, body })
  if (answer.status !== 201) return yield* Effect.die(`mint: ${answer.text}`)
  const { client_id, client_secret, credential_id, pat } = jsonOf(answer)
  return {
    credential_id: String(credential_id),
    client_id: String(client_id),
    client_secret: String(client_secret),
    pat: String(pat)
  }
})

/** Changes a row behind the gateway's back, before the credential was ever used. */
const change = Effect.fnUntraced(function* (credentialId: string, to: Partial<CredentialRow>) {
  const { credentials } = yield* Memory
  credentials.set(credentialId, { ...credentials.get(credentialId)!, ...to })
})

const accessToken = Effect.fnUntraced(function* (clientId: string, secret: string) {
  const { url } = yield* Server
  const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
  const pair = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")
  const answer = yield* send(url, "POST", "/idp/oauth/v2/token", {
    headers: { authorization: `Basic ${pair}`, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", scope }).toString()
  })
  return String(jsonOf(answer).access_token)
})

/** Somebody with a login; a member of the project, if there is one. */
export const person = Effect.fnUntraced(function* (
  name: string,
  roleKeys: ReadonlyArray<string>,
  projectId?: string,
  role: MemberRole = "customer-admin"
) {
  const { url } = yield* Server
  const { world } = yield* SimulatedCloud
  const userName = `${name}@people.example`
  const manage = (path: string, body: object) =>
    send(url, "POST", `/idp/management/v1${path}`, { token: fixtures.idp.serviceToken, body })
  const made = yield* manage("/users/human/_import", {
    userName,
    profile: { firstName: name, lastName: "Person" },
    email: { email: userName, isEmailVerified: true },
    password: "a-password"
  })
  const userId = String(jsonOf(made).userId)
  if (roleKeys.length > 0) {
    yield* manage(`/users/${userId}/grants`, { projectId: fixtures.idp.projectId, roleKeys })
  }
  if (projectId !== undefined) {
    yield* (yield* Credentials).insert({
      credential_id: `member-${userId}`,
      project_id: projectId,
      user_id: userId,
      kind: "member",
      tier: 2,
      label: userName,
      state: "active",
      client_id: "",
      pat_hash: null,
      created_by: "test",
      expires_at: null,
      role,
      display_name: `${name} Person`,
      email: userName
    })
  }
  const token = issueAccessToken(world, userId, yield* Clock.currentTimeMillis)
  return token ?? (yield* Effect.die(`${userName} cannot log in`))
})
