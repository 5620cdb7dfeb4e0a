import { assert, describe, it } from "@effect/vitest"
import { Caller, type CallerTenant } from "@portico/contract/Access"
import { Callers } from "@portico/domain/access/Callers"
import { whoami } from "@portico/domain/access/whoami"
import { mint } from "@portico/domain/credentials/mint"
import { inviteUser } from "@portico/domain/org/invite"
import { denied } from "@portico/domain/access/limits"
import { place, takeOut } from "@portico/domain/policy/members"
import { putPolicy, removePolicy } from "@portico/domain/policy/policies"
import { createUnit } from "@portico/domain/policy/units"
import { fixtures } from "@portico/simulator/Fixtures"
import { Memory } from "@portico/testing/store/Memory"
import { Policies } from "@portico/store/Policies"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { administrator, ownerOf, refused, resolve } from "@portico/testing/tenants/caller"
import { settle } from "@portico/testing/clock"
import { memberOf, personOf, tenantRowOf } from "./people.ts"
import { Process, processWith, Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"

/** A tenant with a credential that is in the unit `engineering`. */
const tenant = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  const { credential_id, pat } = yield* mint(caller, tenant, { kind: "api-key", tier: 2, label: "CI" })
  yield* createUnit(administrator, tenant.projectId, "engineering")
  yield* place(administrator, tenant.projectId, "engineering", credential_id)
  // The process hears of changes from now on, and keeps what it knows.
  yield* settle
  return { caller, tenant, credentialId: credential_id, pat }
})

const put = ({ projectId }: CallerTenant, ou: string, max_tier: 0 | 1 | 2, ...denies: ReadonlyArray<string>) =>
  putPolicy(administrator, projectId, { ou, max_tier, denies })

const tierOf = (pat: string) => Effect.map(resolve(pat), (_) => _.tier)

const unreadable = "Unavailable: The account's access policy cannot be read right now"

describe("a caller's access under policies", () => {
  it.effect("is complete without a policy", () =>
    Effect.gen(function* () {
      const { pat } = yield* tenant
      const caller = yield* resolve(pat)
      assert.deepInclude(caller, { tier: 2, ou: "engineering" })
      assert.notProperty(caller, "denies")
      assert.strictEqual(yield* resolve(pat), caller, "the same one, without another look")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has a lower tier from the next call on, and whoami shows that", () =>
    Effect.gen(function* () {
      const { pat, tenant: at } = yield* tenant
      assert.strictEqual(yield* tierOf(pat), 2)
      yield* put(at, "engineering", 1)
      assert.strictEqual(yield* tierOf(pat), 1)
      yield* put(at, "", 0)
      assert.strictEqual(whoami(yield* resolve(pat)).tier, 0)
      yield* removePolicy(administrator, at.projectId, "")
      assert.strictEqual(yield* tierOf(pat), 1)
      yield* put(at, "engineering", 2)
      assert.strictEqual(yield* tierOf(pat), 2)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("loses a unit's denies when the credential is taken out of it", () =>
    Effect.gen(function* () {
      const { credentialId, pat, tenant: at } = yield* tenant
      yield* put(at, "engineering", 2, "compute:operate")
      const words = Effect.map(resolve(pat), (_) => denied(_, "compute", 1)?.detail)
      assert.strictEqual(
        yield* words,
        "The access policy of the organisation unit 'engineering' denies 'compute:operate'. " +
          "GET /v1/org/effective shows the effective policy."
      )
      assert.isUndefined(denied(yield* resolve(pat), "compute", 0))
      yield* takeOut(administrator, at.projectId, "engineering", credentialId)
      assert.isUndefined(yield* words)
      yield* put(at, "", 2, "compute")
      assert.strictEqual(
        yield* words,
        "The access policy of the whole account denies 'compute'. GET /v1/org/effective shows the effective policy."
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a deny in two units is attributed to the one nearest to the account", () =>
    Effect.gen(function* () {
      const { pat, tenant: at } = yield* tenant
      yield* put(at, "engineering", 2, "compute")
      yield* put(at, "", 2, "compute:destroy")
      const caller = yield* resolve(pat)
      assert.include(denied(caller, "compute", 2)?.detail, "of the whole account denies 'compute:destroy'")
      assert.include(denied(caller, "compute", 1)?.detail, "'engineering' denies 'compute'")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("every other process applies a policy and a placement at once", () =>
    Effect.gen(function* () {
      const { credentialId, pat, tenant: at } = yield* tenant
      const other = yield* Layer.build(Layer.fresh(Process))
      yield* settle
      const there = Effect.provide(tierOf(pat), other)
      assert.strictEqual(yield* there, 2)
      yield* put(at, "", 1)
      yield* settle
      assert.strictEqual(yield* there, 1)
      yield* put(at, "engineering", 0)
      yield* settle
      assert.strictEqual(yield* there, 0)
      yield* takeOut(administrator, at.projectId, "engineering", credentialId)
      yield* settle
      assert.strictEqual(yield* there, 1)
      yield* removePolicy(administrator, at.projectId, "")
      yield* settle
      assert.strictEqual(yield* there, 2)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("another account's policy changes nothing", () =>
    Effect.gen(function* () {
      const { pat } = yield* tenant
      yield* tenantRowOf("globex")
      yield* putPolicy(administrator, "globex", { ou: "", max_tier: 0 })
      yield* createUnit(administrator, "globex", "engineering")
      yield* putPolicy(administrator, "globex", { ou: "engineering", max_tier: 0, denies: ["compute"] })
      const caller = yield* resolve(pat)
      assert.strictEqual(caller.tier, 2)
      assert.notProperty(caller, "denies")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a policy that changes during a look-up of the caller applies to the next call", () =>
    Effect.gen(function* () {
      const { pat, tenant: at } = yield* tenant
      const policies = yield* Policies
      const reached = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const slow = Policies.of({
        ...policies,
        // Has read what was, and says so late.
        along: (projectId, ou) =>
          Effect.tap(policies.along(projectId, ou), () =>
            Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn))
          )
      })
      const process = yield* Layer.build(Layer.provide(Layer.fresh(Callers.layer), Layer.succeed(Policies, slow))).pipe(
        Effect.provide(processWith({}))
      )
      yield* settle
      const before = yield* Effect.forkChild(Effect.provide(tierOf(pat), process))
      yield* Deferred.await(reached)
      yield* put(at, "", 0)
      yield* settle
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual(yield* Fiber.join(before), 2)
      assert.strictEqual(yield* Effect.provide(tierOf(pat), process), 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("an unreadable policy refuses every caller, until it is readable", () =>
    Effect.gen(function* () {
      const { pat } = yield* tenant
      const policies = yield* Policies
      let broken = true
      const flaky = Policies.of({
        ...policies,
        along: (projectId, ou) => (broken ? Effect.die(new Error("no connection")) : policies.along(projectId, ou))
      })
      const process = yield* Layer.build(
        Layer.provide(Layer.fresh(Callers.layer), Layer.succeed(Policies, flaky))
      ).pipe(Effect.provide(processWith({})))
      yield* settle
      const there = Effect.provide(refused(pat), process)
      assert.strictEqual(yield* there, unreadable)
      assert.strictEqual(yield* there, unreadable)
      broken = false
      assert.strictEqual(yield* there, "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  const mapped = { TENANT_MAP: JSON.stringify({ [fixtures.idp.operatorUserId]: "p-1" }) }
  it.effect("a user of the tenant map is subject to the account's own policy", () =>
    Effect.gen(function* () {
      yield* tenantRowOf("p-1")
      assert.deepInclude(yield* resolve(fixtures.idp.operatorToken), { tier: 2 })
      yield* createUnit(administrator, "p-1", "engineering")
      yield* putPolicy(administrator, "p-1", { ou: "engineering", max_tier: 0 })
      yield* putPolicy(administrator, "p-1", { ou: "", max_tier: 1, denies: ["dns"] })
      const caller = yield* resolve(fixtures.idp.operatorToken)
      assert.strictEqual(caller.tier, 1)
      assert.include(denied(caller, "dns", 0)?.detail, "of the whole account denies 'dns'")
    }).pipe(Effect.provide(simulatedWith(mapped)))
  )

  it.effect("a platform administrator is subject to none", () =>
    Effect.gen(function* () {
      const { tenant: at } = yield* tenant
      yield* put(at, "", 0, "compute")
      assert.deepInclude(yield* resolve(fixtures.idp.operatorToken), { tier: 2, admin: true })
    }).pipe(Effect.provide(Simulated))
  )
})

describe("creations by a caller under a policy", () => {
  it.effect("a tier above the lowered one is not minted", () =>
    Effect.gen(function* () {
      const { pat, tenant: at } = yield* tenant
      yield* put(at, "engineering", 1)
      const caller = yield* resolve(pat)
      const failure = yield* Effect.flip(mint(caller, at, { kind: "api-key", tier: 2, label: "more" }))
      assert.strictEqual(
        failure.detail,
        "Insufficient credential tier: this action requires tier 2, the caller's credential is tier 1. " +
          "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes). " +
          "Create a higher-tier credential under POST /v1/credentials."
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("an invited person begins in the inviter's unit, with no role above the inviter's rest", () =>
    Effect.gen(function* () {
      const { tenant: at } = yield* tenant
      yield* memberOf(at.projectId, "adam")
      const admin = new Caller({
        ...personOf(at.projectId, "customer-admin"),
        userId: "adam",
        ou: "engineering",
        tier: 1
      })
      const failure = yield* Effect.flip(inviteUser(admin, { email: "eve@acme.example", role: "customer" }))
      assert.include(failure.detail, "requires tier 2, the caller's credential is tier 1")
      const { user_id } = yield* inviteUser(admin, { email: "eve@acme.example", role: "customer-engineer" })
      const { credentials } = yield* Memory
      assert.strictEqual([...credentials.values()].find((_) => _.user_id === user_id)?.ou, "engineering")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a minted credential is in its creator's unit, under the same policy", () =>
    Effect.gen(function* () {
      const { pat, tenant: at } = yield* tenant
      yield* put(at, "engineering", 2, "compute")
      const minted = yield* mint(yield* resolve(pat), at, { kind: "api-key", tier: 2, label: "the same" })
      const caller = yield* resolve(minted.pat)
      assert.strictEqual(caller.ou, "engineering")
      assert.isDefined(denied(caller, "compute", 0))
    }).pipe(Effect.provide(Simulated))
  )
})
