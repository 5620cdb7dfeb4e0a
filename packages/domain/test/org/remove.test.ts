import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { mint, sweepMints } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { listUsers } from "@portico/domain/org/users"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { administrator, refused } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass, settle } from "@portico/testing/clock"
import { account, loginOf, minted, person } from "./people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const page = { limit: 100, after: undefined }

const outcome = (caller: Caller, userId: string) =>
  Effect.match(inTime(removeUser(caller, userId)), { onSuccess: () => "removed", onFailure: (_) => _.code })

it.effect("a removed member has no login, record or credential left, and others keep theirs", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const ann = yield* person(projectId, "customer", "ann@acme.example")
    const before = yield* minted(ann.caller, "before")
    yield* revoke(ann.caller, before.credential_id)
    const owners = yield* minted(owner.caller, "the owner's")
    yield* TestClock.adjust("1 second")
    const one = yield* minted(ann.caller, "one")
    yield* TestClock.adjust("1 second")
    const two = yield* minted(ann.caller, "two")

    const answer = yield* inTime(removeUser(owner.caller, ann.userId))

    assert.deepStrictEqual(answer, {
      user_id: ann.userId,
      credentials_revoked: [one.credential_id, two.credential_id],
      webhooks_kept: [],
      integrations_kept: []
    })
    assert.isUndefined(yield* loginOf(ann.email))
    assert.isUndefined([...(yield* Memory).credentials.values()].find((_) => _.user_id === ann.userId))
    assert.strictEqual((yield* listUsers(owner.caller, {}, page)).count, 1)
    for (const { pat } of [one, two]) {
      assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has been revoked")
    }
    assert.match(yield* refused(ann.token), /^(Unauthorized|Forbidden): /)
    for (const token of [owner.token, owners.pat]) assert.strictEqual(yield* refused(token), "accepted")
    assert.strictEqual(yield* outcome(owner.caller, ann.userId), "user_not_found")

    const again = yield* inviteUser(owner.caller, { email: ann.email, role: "customer" })
    assert.isTrue(again.created)
    assert.notStrictEqual(again.user_id, ann.userId)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a member whose nickname changes during the removal is still removed", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const eve = yield* person(projectId, "customer", "eve@acme.example")
    const login = (yield* loginOf(eve.email)) ?? assert.fail("no login")
    let changes = 0
    Object.defineProperty(login, "nickName", { get: () => `changed ${changes++} times`, enumerable: true })
    assert.strictEqual(yield* outcome(owner.caller, eve.userId), "removed")
    assert.isAbove(changes, 0)
    assert.isUndefined(yield* loginOf(eve.email))
  }).pipe(Effect.provide(Simulated))
)

it.effect("an invited person who never logged in is removed too", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    const before = yield* everything
    const { user_id } = yield* inviteUser(owner.caller, { email: "ann@acme.example", role: "customer" })
    assert.strictEqual(yield* outcome(owner.caller, user_id), "removed")
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a removal needs the role, the account and the rank of the caller", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const globex = yield* account("Globex")
    const ada = yield* person(projectId, "customer-admin")
    const ann = yield* person(projectId, "customer", "ann@acme.example")
    const bob = yield* person(projectId, "customer", "bob@acme.example")
    const second = yield* person(projectId, "customer-owner", "second@acme.example")
    const platform = yield* person(projectId, "customer-viewer", "both@acme.example")
    yield* inTime((yield* Humans).setRole(platform.userId, "admin"))
    const olga = yield* inviteUser(administrator, { email: "olga@portico.example", role: "admin" })
    yield* TestClock.adjust("5 seconds")
    const before = yield* everything
    const refusals = [
      [ann.caller, ann.userId, "people_role_required"],
      [ann.caller, "nobody", "people_role_required"],
      [ada.caller, globex.owner.userId, "user_not_found"],
      [ada.caller, olga.user_id, "user_not_found"],
      [ada.caller, administrator.userId, "user_not_found"],
      [ada.caller, "nobody", "user_not_found"],
      [ada.caller, "\0", "user_not_found"],
      [administrator, "nobody", "user_not_found"],
      [ada.caller, owner.userId, "owner_required"],
      [ada.caller, platform.userId, "admin_required"],
      [owner.caller, platform.userId, "admin_required"]
    ] as const
    for (const [caller, userId, code] of refusals) assert.strictEqual(yield* outcome(caller, userId), code)
    assert.deepStrictEqual(yield* everything, before)

    const removals = [
      [ada.caller, ann.userId],
      [ada.caller, ada.userId],
      [owner.caller, bob.userId],
      [owner.caller, second.userId],
      [administrator, platform.userId],
      [administrator, olga.user_id]
    ] as const
    for (const [caller, userId] of removals) assert.strictEqual(yield* outcome(caller, userId), "removed")
    assert.strictEqual((yield* listUsers(owner.caller, {}, page)).count, 1)
    assert.strictEqual((yield* listUsers(administrator, { scope: "platform" }, page)).count, 0)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a foreign user, an unknown one and a malformed id are refused with the same bytes", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    const globex = yield* account("Globex")
    for (const id of [globex.owner.userId, "200000000000000099", "", "../x", "\0"]) {
      assert.deepStrictEqual({ ...(yield* Effect.flip(removeUser(owner.caller, id))) }, { ...NotFound.user(id) })
    }
  }).pipe(Effect.provide(Simulated))
)

describe("the last owner", () => {
  it.effect("cannot be removed", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      for (const caller of [owner.caller, administrator]) {
        assert.strictEqual(yield* outcome(caller, owner.userId), "last_owner")
      }
      assert.strictEqual(yield* refused(owner.token), "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is the remaining one of three that remove each other at once", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const second = yield* person(projectId, "customer-owner", "second@acme.example")
      const third = yield* person(projectId, "customer-owner", "third@acme.example")
      const removals = [
        [owner.caller, second.userId],
        [second.caller, third.userId],
        [third.caller, owner.userId]
      ] as const
      const outcomes = yield* Effect.all(
        removals.map(([caller, userId]) => outcome(caller, userId)),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(outcomes, ["removed", "removed", "last_owner"])
      const accepted = yield* Effect.forEach([owner, second, third], ({ token }) => refused(token))
      assert.lengthOf(
        accepted.filter((_) => _ === "accepted"),
        1
      )
    }).pipe(Effect.provide(Simulated))
  )
})

it.effect("two concurrent removals of one member both succeed", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const before = yield* everything
    const ann = yield* person(projectId, "customer", "ann@acme.example")
    const removal = Effect.result(removeUser(owner.caller, ann.userId))
    const results = yield* inTime(Effect.all([removal, removal], { concurrency: "unbounded" }))
    assert.isTrue(results.some(Result.isSuccess))
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

describe("a credential that a person mints while being removed", () => {
  const slowMint = Effect.flatMap(SimulatedCloud, (_) =>
    _.fault({
      service: "zitadel",
      method: "POST",
      path: "**/users/machine",
      when: "before",
      as: { delay_ms: 3000 }
    })
  )

  it.effect("is never completed, and leaves nothing", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const before = yield* everything
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      yield* slowMint
      const minting = yield* Effect.forkChild(Effect.result(minted(ann.caller)))
      yield* settle
      const { credentials_revoked } = yield* removeUser(owner.caller, ann.userId)
      assert.deepStrictEqual(credentials_revoked, [])
      yield* pass(10)
      assert.isTrue(Result.isFailure(yield* Fiber.join(minting)))
      yield* pass(180)
      yield* inTime(sweepMints)
      assert.deepStrictEqual(yield* everything, before)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is not even begun by an earlier caller", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const ann = yield* person(projectId, "customer", "ann@acme.example")
      yield* removeUser(owner.caller, ann.userId)
      const before = yield* everything
      const { tenant } = ann.caller
      assert.ok(tenant)
      const failure = yield* Effect.flip(mint(ann.caller, tenant, { kind: "api-key", tier: 0, label: "late" }))
      assert.strictEqual(failure._tag, "Unauthorized")
      assert.deepStrictEqual(yield* everything, before)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the platform team", () => {
  it.effect("loses a person removed by another administrator, who cannot remove themselves", () =>
    Effect.gen(function* () {
      const before = yield* everything
      const { user_id } = yield* inviteUser(administrator, { email: "olga@portico.example", role: "admin" })
      const olga = { ...administrator, userId: user_id, human: true }
      assert.strictEqual(yield* outcome(olga, user_id), "own_team_login")
      assert.strictEqual(yield* outcome(administrator, user_id), "removed")
      assert.deepStrictEqual(yield* everything, before)
      assert.strictEqual(yield* outcome(administrator, user_id), "user_not_found")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("keeps logins without an invitation", () =>
    Effect.gen(function* () {
      const humans = yield* Humans
      const made = { displayName: "A Stranger", stamp: "made by hand" }
      const root = yield* humans.create({ ...made, email: "root@portico.example", role: "admin" })
      const other = yield* humans.create({ ...made, email: "other@portico.example", role: "customer" })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* outcome(administrator, root.userId), "login_not_made_here")
      assert.strictEqual(yield* outcome(administrator, other.userId), "user_not_found")
      assert.isDefined(yield* loginOf("root@portico.example"))
    }).pipe(Effect.provide(Simulated))
  )
})
