import { Caller, CallerTenant } from "@portico/contract/Access"
import type { Tier } from "@portico/contract/Tiers"
import { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { onboard } from "@portico/domain/onboarding/onboard"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { Credentials } from "@portico/store/Credentials"
import { Tenants } from "@portico/store/Tenants"
import { Clock, Effect, Result, Schedule } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { CannotStart } from "../launch.ts"
import type { DevFile } from "./DevFile.ts"

type DemoTenant = DevFile["tenants"][number]

const demoOrganisations: ReadonlyArray<{ readonly name: string; readonly slug: string; readonly tier: Tier }> = [
  { name: "Acme", slug: "acme", tier: "standard" },
  { name: "Globex", slug: "globex", tier: "discovery" }
]

/**
 * The two demo tenants, which the first start creates, with valid tokens. Tokens of an earlier start are kept while
 * they are valid.
 */
export const demoTenants = Effect.fn("start.demoTenants")(function* (
  authUrl: string,
  before: ReadonlyArray<DemoTenant>
) {
  return yield* Effect.forEach(demoOrganisations, ({ name, slug, tier }) =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const { world } = yield* SimulatedCloud
      if (!(yield* tenants.slugTaken(slug))) yield* onboardDemo(name, tier)
      const tenant = (yield* tenants.list).find((_) => _.slug === slug)
      if (tenant === undefined || world.keystone.projects[tenant.project_id] === undefined) return yield* mismatch(slug)
      const held = before.find((_) => _.project_id === tenant.project_id)?.tokens
      const bound = new CallerTenant({ projectId: tenant.project_id, name, source: "credential_store" })
      return {
        slug,
        project_id: tenant.project_id,
        tokens: {
          tier0: yield* tokenOf(bound, 0, held?.tier0),
          tier1: yield* tokenOf(bound, 1, held?.tier1),
          tier2: yield* tokenOf(bound, 2, held?.tier2),
          owner: yield* ownerToken(authUrl, bound, slug)
        }
      } satisfies DemoTenant
    })
  )
})

const onboardDemo = Effect.fnUntraced(
  function* (name: string, tier: Tier) {
    const first = yield* Effect.result(onboard({ name, tier }))
    if (Result.isSuccess(first)) return
    if (!isInProgress(first.failure)) return yield* Effect.fail(first.failure)
    // An earlier start was killed during this onboarding. Its remains are removed after its lease expires.
    yield* Effect.logInfo(`Waiting until what an earlier start left of ${name} is removed, at most three minutes`)
    yield* Effect.retry(onboard({ name, tier }), {
      while: isInProgress,
      schedule: Schedule.spaced("1 second"),
      times: 180
    })
  },
  (effect, name) =>
    Effect.catch(effect, (error) =>
      error.code === "organisation_name_taken"
        ? mismatch(name)
        : Effect.fail(new CannotStart({ message: `The demo tenant ${name} cannot be made: ${error.detail}` }))
    )
)

const isInProgress = ({ code }: { readonly code: string }) => code === "onboarding_in_progress"

const mismatch = (tenant: string) =>
  Effect.fail(
    new CannotStart({
      message:
        `The database and the simulated cloud do not belong together: only one of them has the tenant ${tenant}. ` +
        "Begin with a new PORTICO_DATA_DIR, and an empty database when DATABASE_URL is set."
    })
  )

const tokenOf = Effect.fnUntraced(function* (tenant: CallerTenant, tier: 0 | 1 | 2, held: string | undefined) {
  if (held !== undefined && (yield* isValid(held, tenant, tier))) return held
  const demo = new Caller({
    userId: "demo",
    userName: "",
    userEmail: "",
    roles: [],
    tier: 2,
    tenant,
    admin: false,
    human: false,
    credentialId: null,
    credentialLabel: null,
    role: null,
    billing: true
  })
  // When the dev file is lost, its keys are lost too. They are revoked, because they would use up the
  // tenant's allowance.
  const label = `demo tier ${tier}`
  const orphaned = (yield* listCredentials(demo, false)).credentials.filter((_) => _.label === label)
  yield* Effect.forEach(orphaned, (_) => revoke(demo, _.credential_id))
  return (yield* mint(demo, tenant, { kind: "api-key", tier, label })).pat
})

const isValid = Effect.fnUntraced(function* (token: string, tenant: CallerTenant, tier: number) {
  const caller = yield* Effect.option((yield* Callers).resolve(new PresentedToken(token), "customer"))
  return caller._tag === "Some" && caller.value.tier === tier && caller.value.tenant?.projectId === tenant.projectId
})

/**
 * A person who owns the tenant, as if logged in: created at the identity provider once, and logged in at every start.
 */
const ownerToken = Effect.fnUntraced(function* (authUrl: string, tenant: CallerTenant, slug: string) {
  const cloud = yield* SimulatedCloud
  const credentials = yield* Credentials
  const userName = `owner@${slug}.example`
  const known = Object.values(cloud.world.zitadel.users).find((_) => _.userName === userName)
  const userId = known?.id ?? (yield* createOwner(authUrl, userName))
  if ((yield* credentials.findByUser(userId)) === undefined) {
    yield* credentials.insert({
      credential_id: `member-${userId}`,
      project_id: tenant.projectId,
      user_id: userId,
      kind: "member",
      tier: 2,
      label: userName,
      state: "active",
      client_id: "",
      pat_hash: null,
      created_by: "demo",
      expires_at: null,
      role: "customer-owner",
      display_name: "Olivia Owner",
      email: userName
    })
  }
  const token = issueAccessToken(cloud.world, userId, yield* Clock.currentTimeMillis)
  return token ?? (yield* Effect.die(`${userName} cannot log in`))
})

const createOwner = Effect.fnUntraced(function* (authUrl: string, userName: string) {
  const post = (path: string, body: unknown) =>
    HttpClientRequest.post(`${authUrl}${path}`).pipe(
      HttpClientRequest.bearerToken(fixtures.idp.serviceToken),
      HttpClientRequest.bodyJsonUnsafe(body),
      HttpClient.execute,
      Effect.flatMap((response) => response.json)
    )
  const created = yield* post("/management/v1/users/human/_import", {
    userName,
    profile: { firstName: "Olivia", lastName: "Owner", displayName: "Olivia Owner" },
    email: { email: userName, isEmailVerified: true },
    password: "demo-password"
  })
  const userId = typeof created === "object" && created !== null && "userId" in created ? String(created.userId) : ""
  yield* post(`/management/v1/users/${userId}/grants`, {
    projectId: fixtures.idp.projectId,
    roleKeys: ["customer-owner"]
  })
  return userId
})
