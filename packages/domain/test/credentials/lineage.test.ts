import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import type { MintRequest } from "@portico/contract/Credentials"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate, sweepRotations } from "@portico/domain/credentials/rotate"
import { setBilling } from "@portico/domain/org/billing"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { place } from "@portico/domain/policy/members"
import { putPolicy } from "@portico/domain/policy/policies"
import { createUnit } from "@portico/domain/policy/units"
import { exchange } from "@portico/domain/workloadIdentity/exchange"
import { longestChain } from "@portico/store/makers"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { administrator, refused, resolve } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { cluster, mapping, projectedToken } from "../workloadIdentity/cluster.ts"
import { account, person } from "../org/people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

/** Mints with a caller's own tier, unless the story says otherwise, and resolves what was minted. */
const made = Effect.fnUntraced(function* (caller: Caller, request: Partial<MintRequest> = {}) {
  if (caller.tenant === null) return yield* Effect.die("no tenant")
  const minted = yield* mint(caller, caller.tenant, { kind: "api-key", tier: caller.tier, label: "CI", ...request })
  return { ...minted, caller: yield* resolve(minted.pat) }
})

const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "done", onFailure: (_) => _.code })

const tenantOf = ({ tenant }: Caller) => tenant ?? assert.fail("no tenant")

/** As rotated by the caller, without an overlap. */
const rotated = (caller: Caller, id: string, overlap_seconds = 0) =>
  inTime(rotate(caller, tenantOf(caller), id, { overlap_seconds }))

const exchanged = Effect.fnUntraced(function* (caller: Caller) {
  const answer = yield* exchange(caller, { subject_token: yield* projectedToken() })
  return { ...answer, caller: yield* resolve(answer.access_token) }
})

const revokedWords = "Unauthorized: Credential has been revoked"

describe("billing access", () => {
  it.effect("follows the maker: at the mint, after a withdrawal, through chains and workload tokens", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      yield* cluster
      yield* mapping(projectId)
      const blind = yield* made(ann.caller)
      assert.isFalse(blind.caller.billing)
      assert.isFalse((yield* made(blind.caller)).caller.billing)
      assert.isFalse((yield* exchanged(ann.caller)).caller.billing)

      yield* inTime(setBilling(owner.caller, ann.userId, { billing_access: true }))
      const seeing = yield* resolve(blind.pat)
      assert.isTrue(seeing.billing)
      const second = yield* made(seeing)
      const token = yield* exchanged(second.caller)
      for (const { caller } of [second, token]) assert.isTrue(caller.billing)

      yield* inTime(setBilling(owner.caller, ann.userId, { billing_access: false }))
      for (const key of [blind.pat, second.pat, token.access_token]) assert.isFalse((yield* resolve(key)).billing)
      assert.isTrue((yield* made(owner.caller)).caller.billing)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a demotion", () => {
  it.effect("caps the person's credentials, lists them, and a promotion restores them", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      yield* cluster
      yield* mapping(projectId, { tier: 2 })
      const one = yield* made(ann.caller)
      yield* TestClock.adjust("1 second")
      const two = yield* made(one.caller)
      const low = yield* made(ann.caller, { tier: 0 })
      const gone = yield* made(ann.caller)
      yield* revoke(owner.caller, gone.credential_id)
      const token = yield* exchanged(two.caller)
      const owners = yield* made(owner.caller)
      const become = (role: "customer-viewer" | "customer-engineer") =>
        inTime(inviteUser(owner.caller, { email: ann.email, role }))

      const answer = yield* become("customer-viewer")
      assert.deepInclude(answer, { created: false, credentials_capped: [one.credential_id, two.credential_id] })
      for (const key of [one.pat, two.pat, low.pat, token.access_token])
        assert.strictEqual((yield* resolve(key)).tier, 0)
      assert.strictEqual((yield* resolve(owners.pat)).tier, 2)
      const { credentials } = yield* listCredentials(owner.caller, false)
      const shown = credentials.find((_) => _.credential_id === two.credential_id)
      assert.deepInclude(shown, { tier: 0, minted_tier: 2, state: "active" })
      assert.strictEqual(yield* codeOf(made(yield* resolve(two.pat), { tier: 1 })), "tier_too_low")

      assert.deepInclude(yield* become("customer-engineer"), { credentials_capped: [] })
      assert.strictEqual((yield* resolve(two.pat)).tier, 1)
      assert.strictEqual((yield* resolve(low.pat)).tier, 0)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a removal", () => {
  it.effect("ends all derived credentials of any depth, and lists them", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      const bob = yield* person(projectId, "customer", "bob@acme.example")
      yield* cluster
      yield* mapping(projectId, { tier: 2 })
      const one = yield* made(ann.caller)
      yield* TestClock.adjust("1 second")
      const two = yield* made(one.caller)
      yield* TestClock.adjust("1 second")
      const token = yield* exchanged(two.caller)
      const three = yield* made(token.caller)
      yield* TestClock.adjust("1 second")
      const self = yield* rotated(two.caller, two.credential_id)
      const bobs = yield* made(bob.caller)
      // A colleague who rotates a key of hers does not take what it had made away from her.
      yield* TestClock.adjust("1 second")
      const four = yield* made(one.caller)
      const taken = yield* rotated(bob.caller, one.credential_id)

      yield* TestClock.adjust("1 second")
      const answer = yield* inTime(removeUser(owner.caller, ann.userId))
      const theirs = [two, three, self, four].map((_) => _.credential_id)
      assert.sameMembers(
        [...answer.credentials_revoked],
        theirs.filter((_) => _ !== two.credential_id)
      )
      for (const { pat } of [one, two, three, self, four]) assert.strictEqual(yield* refused(pat), revokedWords)
      assert.match(yield* refused(token.access_token), /^Unauthorized: /)
      for (const { pat } of [bobs, taken]) assert.strictEqual(yield* refused(pat), "accepted")

      // Invited again, she has the same membership, and nothing of what was hers.
      yield* person(projectId, "customer", ann.email)
      assert.match(yield* refused(token.access_token), /^Unauthorized: /)
      for (const { pat } of [one, two, three, self, four]) assert.strictEqual(yield* refused(pat), revokedWords)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("an end", () => {
  it.effect("is at most the maker's: a later one is refused, and it is the default", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      yield* cluster
      yield* mapping(projectId)
      const day = yield* made(owner.caller, { expires_in_days: 1 })
      const tenant = tenantOf(owner.caller)
      assert.deepInclude(
        yield* Effect.flip(mint(day.caller, tenant, { kind: "api-key", tier: 0, label: "x", expires_in_days: 2 })),
        {
          code: "credential_outlives_own",
          detail: `The caller's own credential ends at ${day.expires_at}, and the credential would live longer`
        }
      )
      const child = yield* made(day.caller)
      assert.strictEqual(child.expires_at, day.expires_at)
      const week = yield* made(owner.caller, { expires_in_days: 7 })
      assert.strictEqual((yield* made(week.caller, { expires_in_days: 7 })).expires_at, week.expires_at)

      const token = yield* exchanged(owner.caller)
      assert.strictEqual(token.expires_in, 3600)
      assert.strictEqual(yield* codeOf(made(token.caller, { expires_in_days: 1 })), "credential_outlives_own")
      const short = yield* made(token.caller)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* refused(short.pat), "Unauthorized: Credential has expired")

      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* refused(child.pat), "Unauthorized: Credential has expired")
      assert.strictEqual(yield* refused(week.pat), "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of a revoked maker revokes its derived credentials, without a sweep", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const one = yield* made(owner.caller)
      const two = yield* made(one.caller)
      const three = yield* made(two.caller)
      const beside = yield* made(owner.caller)
      yield* inTime(revoke(owner.caller, one.credential_id))
      for (const { pat } of [one, two, three]) assert.strictEqual(yield* refused(pat), revokedWords)
      assert.strictEqual(yield* refused(beside.pat), "accepted")
      assert.strictEqual((yield* listCredentials(owner.caller, false)).count, 2)
      const { credentials } = yield* Memory
      assert.strictEqual(credentials.get(three.credential_id)?.state, "revoked")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of an overlap ends credentials made during it, and not those made before", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const old = yield* made(owner.caller)
      const before = yield* made(old.caller)
      const successor = yield* rotated(owner.caller, old.credential_id, 3600)
      const during = yield* made(yield* resolve(old.pat))
      assert.strictEqual(during.expires_at, successor.predecessor.revokes_at)
      yield* TestClock.adjust("1 hour")
      yield* sweepRotations
      assert.match(yield* refused(during.pat), /^Unauthorized: Credential has/)
      assert.strictEqual(yield* refused(before.pat), "accepted")
      yield* inTime(revoke(owner.caller, successor.credential_id))
      assert.strictEqual(yield* refused(before.pat), revokedWords)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of the caller during its mint undoes the mint", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const one = yield* made(owner.caller)
      yield* inTime(revoke(owner.caller, one.credential_id))
      const before = (yield* Memory).credentials.size
      // The caller was let in before that.
      assert.strictEqual(yield* codeOf(made(one.caller)), "credential_revoked")
      assert.strictEqual((yield* Memory).credentials.size, before)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of the caller during its rotation undoes the successor, and the old one stays", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const one = yield* made(owner.caller)
      const other = yield* made(owner.caller)
      yield* inTime(revoke(owner.caller, one.credential_id))
      const before = (yield* Memory).credentials.size
      // The caller was let in before that.
      assert.strictEqual(yield* codeOf(rotated(one.caller, other.credential_id)), "credential_revoked")
      assert.strictEqual((yield* Memory).credentials.size, before)
      assert.strictEqual(yield* refused(other.pat), "accepted")
      assert.strictEqual(yield* codeOf(rotated(owner.caller, other.credential_id)), "done")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of an overlap limits a token that the old one got before a colleague rotated it, and its keys", () =>
    Effect.gen(function* () {
      const { projectId } = yield* account()
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      const bob = yield* person(projectId, "customer", "bob@acme.example")
      yield* cluster
      yield* mapping(projectId, { tier: 2 })
      const old = yield* made(ann.caller)
      const token = yield* exchanged(old.caller)
      const before = yield* made(token.caller)
      const { predecessor } = yield* rotated(bob.caller, old.credential_id, 600)
      assert.strictEqual((yield* made(yield* resolve(token.access_token))).expires_at, predecessor.revokes_at)
      assert.isAbove(Date.parse(before.expires_at ?? ""), Date.parse(predecessor.revokes_at ?? ""))
      const taken = yield* rotated(bob.caller, before.credential_id)
      assert.strictEqual(taken.expires_at, predecessor.revokes_at)
      yield* TestClock.adjust("10 minutes")
      for (const key of [token.access_token, before.pat, taken.pat]) {
        assert.match(yield* refused(key), /^Unauthorized: Credential has (been revoked|expired)$/)
      }
    }).pipe(Effect.provide(Simulated))
  )
})

describe("an agent", () => {
  it.effect("mints agents of tier 0 and 1 for a week at most, and nothing else", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const agent = yield* made(owner.caller, { kind: "mcp", tier: 2 })
      assert.strictEqual(agent.caller.kind, "mcp")
      for (const request of [
        { kind: "api-key", tier: 0, expires_in_days: 1 },
        { kind: "mcp", tier: 2, expires_in_days: 1 },
        { kind: "mcp", tier: 0, expires_in_days: 8 }
      ] as const) {
        assert.strictEqual(yield* codeOf(made(agent.caller, request)), "agent_mints_agents")
      }
      const usual = yield* made(agent.caller, { kind: "mcp", tier: 1 })
      const week = yield* made(agent.caller, { kind: "mcp", tier: 0, expires_in_days: 7 })
      assert.strictEqual(usual.expires_at, week.expires_at)
      assert.isNotNull(week.expires_at)
      assert.strictEqual(week.caller.kind, "mcp")
      const month = yield* made(owner.caller, { kind: "mcp", tier: 1, expires_in_days: 30 })
      assert.strictEqual((yield* made(month.caller, { kind: "mcp" })).expires_at, week.expires_at)
      const day = yield* made(owner.caller, { kind: "mcp", tier: 1, expires_in_days: 1 })
      assert.strictEqual((yield* made(day.caller, { kind: "mcp" })).expires_at, day.expires_at)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("rotates itself, and only agents besides; its token is an agent's", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      yield* cluster
      yield* mapping(projectId)
      const agent = yield* made(owner.caller, { kind: "mcp", tier: 2 })
      const key = yield* made(owner.caller, { tier: 1, expires_in_days: 1 })
      const endless = yield* made(owner.caller, { kind: "mcp", tier: 1 })
      for (const { credential_id } of [key, endless]) {
        assert.strictEqual(yield* codeOf(rotated(agent.caller, credential_id)), "agent_mints_agents")
      }
      assert.strictEqual((yield* exchanged(agent.caller)).caller.kind, "mcp")
      assert.deepInclude(yield* rotated(agent.caller, agent.credential_id), { kind: "mcp", tier: 2, expires_at: null })
    }).pipe(Effect.provide(Simulated))
  )
})

describe("rotating another's credential", () => {
  it.effect("needs tier 2 with any overlap, except one's own and derived ones", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const viewer = yield* person(projectId, "customer-viewer")
      const engineer = yield* person(projectId, "customer-engineer")
      const theirs = yield* made(owner.caller, { tier: 0 })
      for (const { caller } of [viewer, engineer]) {
        for (const overlap of [0, 3600, 86_400]) {
          assert.strictEqual(yield* codeOf(rotated(caller, theirs.credential_id, overlap)), "tier_too_low")
        }
      }
      assert.strictEqual(yield* refused(theirs.pat), "accepted")
      const own = yield* made(viewer.caller)
      const below = yield* made(own.caller)
      const beside = yield* made(viewer.caller)
      assert.strictEqual(yield* codeOf(rotated(own.caller, beside.credential_id)), "tier_too_low")
      assert.strictEqual(yield* codeOf(rotated(own.caller, below.credential_id)), "done")
      assert.strictEqual(yield* codeOf(rotated(viewer.caller, beside.credential_id)), "done")
      assert.strictEqual(yield* codeOf(rotated(own.caller, own.credential_id)), "done")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("grants nothing that could not be minted: no lifetime, billing access or denied area", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const bob = yield* person(projectId, "customer", "bob@acme.example")
      const ada = yield* person(projectId, "customer", "ada@acme.example")
      const endless = yield* made(ada.caller)
      const rich = yield* made(owner.caller)
      const day = yield* made(bob.caller, { expires_in_days: 1 })
      assert.strictEqual(yield* codeOf(rotated(day.caller, endless.credential_id)), "credential_outlives_own")
      assert.strictEqual(yield* codeOf(rotated(bob.caller, rich.credential_id)), "credential_beyond_own")
      const denied = new Caller({
        ...bob.caller,
        denies: [{ area: "credentials", from: 2, deny: "credentials:destroy", ou: "" }]
      })
      assert.strictEqual(yield* codeOf(rotated(denied, endless.credential_id)), "policy_denied")
      for (const { pat } of [endless, rich]) assert.strictEqual(yield* refused(pat), "accepted")

      const taken = yield* rotated(bob.caller, endless.credential_id)
      assert.strictEqual(yield* refused(taken.pat), "accepted")
      const { credentials_revoked } = yield* inTime(removeUser(owner.caller, bob.userId))
      assert.include(credentials_revoked, taken.credential_id)
      assert.strictEqual(yield* refused(taken.pat), revokedWords)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a token exchange", () => {
  it.effect("grants no more than the caller's tier, networks and end", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      yield* cluster
      yield* mapping(projectId, { tier: 2 })
      for (const tier of [0, 1, 2] as const) {
        const key = yield* made(owner.caller, { tier })
        assert.strictEqual((yield* exchanged(key.caller)).caller.tier, tier)
      }
      assert.strictEqual((yield* exchanged(administrator)).caller.tier, 2)

      const near = yield* made(owner.caller, { expires_in_days: 1 })
      yield* TestClock.adjust("84600 seconds")
      const late = yield* exchange(near.caller, { subject_token: yield* projectedToken() })
      assert.strictEqual(late.expires_in, 1800)
      yield* TestClock.adjust("1800 seconds")
      assert.match(yield* refused(late.access_token), /^Unauthorized: /)

      const inside = yield* mint(owner.caller, tenantOf(owner.caller), {
        kind: "api-key",
        tier: 1,
        label: "in",
        networks: ["192.0.2.0/24"]
      })
      const limited = new Caller({
        ...near.caller,
        recordId: inside.credential_id,
        userId: "",
        networks: ["192.0.2.0/24"]
      })
      const { credentials } = yield* Memory
      const row = credentials.get(inside.credential_id) ?? assert.fail("not there")
      const { expiresAt: _, ...endless } = limited
      const caller = new Caller({ ...endless, userId: row.user_id })
      const token = yield* exchange(caller, { subject_token: yield* projectedToken() })
      assert.match(yield* refused(token.access_token), /^Forbidden: The credential is limited to source networks/)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("ends when the caller's credential is revoked", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      yield* cluster
      yield* mapping(projectId)
      const key = yield* made(owner.caller)
      const token = yield* exchanged(key.caller)
      assert.strictEqual(yield* refused(token.access_token), "accepted")
      yield* inTime(revoke(owner.caller, key.credential_id))
      assert.strictEqual(yield* refused(token.access_token), revokedWords)
      // The caller was let in before that.
      const { workloadTokens } = yield* Memory
      const before = workloadTokens.size
      assert.strictEqual(yield* codeOf(exchanged(key.caller)), "credential_revoked")
      assert.strictEqual(workloadTokens.size, before)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a unit", () => {
  it.effect("of the maker limits credentials that it made before its placement", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      yield* createUnit(owner.caller, undefined, "low")
      yield* putPolicy(owner.caller, undefined, { ou: "low", max_tier: 0 })
      const key = yield* made(ann.caller)
      assert.strictEqual((yield* resolve(key.pat)).tier, 2)
      yield* place(owner.caller, undefined, "low", ann.userId)
      assert.strictEqual((yield* resolve(key.pat)).tier, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of a maker limits its derived credentials also after its replacement", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const other = yield* person(projectId, "customer-owner", "other@acme.example")
      for (const unit of ["low", "own"]) yield* createUnit(owner.caller, undefined, unit)
      yield* putPolicy(owner.caller, undefined, { ou: "low", max_tier: 0 })
      const maker = yield* made(owner.caller)
      const key = yield* made(maker.caller)
      const below = yield* made(key.caller)
      const free = yield* made(owner.caller)
      yield* place(owner.caller, undefined, "low", maker.credential_id)
      const successor = yield* rotated(other.caller, maker.credential_id)
      assert.strictEqual((yield* resolve(successor.pat)).tier, 0)

      const tiers = Effect.forEach([key, below, free], ({ pat }) => Effect.map(resolve(pat), (_) => _.tier))
      assert.deepStrictEqual(yield* tiers, [0, 0, 2])
      // Its own unit is changed as before, and its successor keeps the bound.
      yield* place(owner.caller, undefined, "own", key.credential_id)
      assert.deepStrictEqual(yield* tiers, [0, 0, 2])
      assert.strictEqual((yield* resolve((yield* rotated(owner.caller, key.credential_id)).pat)).tier, 0)
      yield* putPolicy(owner.caller, undefined, { ou: "low", max_tier: 1 })
      assert.strictEqual((yield* resolve(below.pat)).tier, 1)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a chain", () => {
  it.effect(`has ${longestChain} makers at most`, () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account("Acme GmbH", "extension")
      yield* cluster
      let { caller } = owner
      for (let depth = 0; depth < longestChain; depth++) caller = (yield* made(caller)).caller
      const before = (yield* Memory).credentials.size
      const result = yield* Effect.result(made(caller))
      assert.strictEqual(Result.isFailure(result) ? result.failure.code : "done", "credential_chain_too_long")
      assert.strictEqual((yield* Memory).credentials.size, before)
      yield* mapping(projectId)
      assert.strictEqual(yield* codeOf(exchanged(caller)), "credential_chain_too_long")
      assert.strictEqual((yield* Memory).workloadTokens.size, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is refused as revoked when it is a circle or lacks a maker", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const { credentials } = yield* Memory
      const one = yield* made(owner.caller)
      const two = yield* made(one.caller)
      const row = credentials.get(one.credential_id) ?? assert.fail("not there")
      for (const made_by of [two.credential_id, "cred-of-nobody"]) {
        credentials.set(one.credential_id, { ...row, made_by })
        // No process is told of such a thing.
        yield* TestClock.adjust("61 seconds")
        assert.strictEqual(yield* refused(two.pat), revokedWords)
      }
    }).pipe(Effect.provide(Simulated))
  )
})
