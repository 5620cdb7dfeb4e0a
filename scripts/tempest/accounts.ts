import { jsonOf, TestGateway } from "../../packages/gateway/test/harness/TestGateway.ts"
import { Administrator } from "../../packages/gateway/test/real/Administrator.ts"
import { fixtures } from "@portico/simulator/Fixtures"
import { DateTime, Effect } from "effect"

/** A tenant with a key of tier 2 and one of tier 0. */
export interface Tenant {
  readonly projectId: string
  readonly slug: string
  readonly keys: Readonly<Record<"member" | "reader", Login>>
  /** A token of tier 2, for the gateway's own routes. */
  readonly token: string
}

/** What a person logs in with: a user's name and password, or the id and secret of an application credential. */
export interface Login {
  readonly username: string
  readonly password: string
}

/** Two workers take two projects at a time, and one whose member the plugins take for an administrator. */
export const tenants = 6

/** A new tenant of the highest tier, made by an operator. */
export const onboard = Effect.fnUntraced(function* (index: number) {
  const { call } = yield* TestGateway
  const { epochMilliseconds } = yield* DateTime.now
  const made = yield* call("operator", "POST", "/v1/tenants", {
    token: fixtures.idp.operatorToken,
    body: { name: `Tempest ${epochMilliseconds}-${index}`, tier: "extension" }
  })
  if (made.status !== 201) return yield* Effect.die(`no tenant was made: ${made.text}`)
  const { credential, tenant } = jsonOf(made)
  const token = yield* tokenOf({ username: credential.client_id, password: credential.client_secret })
  return {
    projectId: String(tenant.project_id),
    slug: String(tenant.slug),
    token,
    keys: { member: yield* minted(token, 2), reader: yield* minted(token, 0) }
  } satisfies Tenant
})

/** Keystone's log-in at the gateway, as stock clients do it. */
const tokenOf = Effect.fnUntraced(function* ({ password, username }: Login) {
  const { call } = yield* TestGateway
  const identity = { methods: ["application_credential"], application_credential: { id: username, secret: password } }
  const answer = yield* call("customer", "POST", "/openstack/identity/v3/auth/tokens", { body: { auth: { identity } } })
  const token = answer.headers["x-subject-token"]
  return token ?? (yield* Effect.die(`no log-in: ${answer.text}`))
})

const minted = Effect.fnUntraced(function* (token: string, tier: 0 | 2) {
  const { call } = yield* TestGateway
  const answer = yield* call("customer", "POST", "/v1/credentials", {
    token,
    body: { kind: "api-key", tier, label: `tempest ${tier}` }
  })
  if (answer.status !== 201) return yield* Effect.die(`no key was minted: ${answer.text}`)
  const { client_id, client_secret } = jsonOf(answer)
  return { username: String(client_id), password: String(client_secret) }
})

/** The roles that a cloud gives an ordinary member of a project, and one who looks on. */
const roles = { member: ["member", "load-balancer_member", "creator"], reader: ["reader"] }

/** The same projects for people of Keystone, who need no gateway. They go with the scope. */
export const members = Effect.fnUntraced(function* ({ projectId, slug }: Tenant) {
  const account = (kind: "member" | "reader") => user(projectId, `${slug}-${kind}`, roles[kind])
  return { member: yield* account("member"), reader: yield* account("reader") }
})

const user = Effect.fnUntraced(function* (projectId: string, name: string, names: ReadonlyArray<string>) {
  const { ask, read } = yield* Administrator
  const password = `of ${name}`
  const made = yield* ask("POST", "identity", "/users", { body: { user: { name, password, domain_id: "default" } } })
  if (made.status !== 201) return yield* Effect.die(`no user was made: ${made.text}`)
  const id = String(jsonOf(made).user.id)
  yield* Effect.addFinalizer(() => ask("DELETE", "identity", `/users/${id}`))
  for (const role of names) {
    const { roles } = yield* read("identity", `/roles?name=${role}`)
    // Keystone has a service's role only where somebody has made it.
    if (roles.length > 0) yield* ask("PUT", "identity", `/projects/${projectId}/users/${id}/roles/${roles[0].id}`)
  }
  return { username: name, password }
})
