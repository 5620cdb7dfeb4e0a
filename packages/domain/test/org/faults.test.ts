import { assert, describe, it } from "@effect/vitest"
import type { InviteRequest } from "@portico/contract/Org"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser, sweepMembers } from "@portico/domain/org/remove"
import { listUsers } from "@portico/domain/org/users"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect, Exit, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { administrator, refused } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { callsOf, type NamedCall, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { account, grantsOf, loginOf, minted, person, tokenOf } from "./people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { sampled } from "@portico/testing/sample/sampled"

const page = { limit: 100, after: undefined }
const ann = { email: "ann@acme.example", role: "customer" } as const
const olga = { email: "olga@portico.example", role: "admin" } as const

/** For what is run before the tests. */
const onClock = <A, E>(run: Effect.Effect<A, E, Layer.Success<typeof Simulated>>) =>
  run.pipe(Effect.provide(Simulated), Effect.provide(TestClock.layer()))

/** When every lease is over, and every search shows what there is. */
const swept = Effect.gen(function* () {
  yield* pass(180)
  yield* inTime(sweepMembers)
})

const cutOffs = (call: NamedCall): ReadonlyArray<Fault> => [
  ...whensOf(call).map((when) => ({ ...call, when, as: "hang" }) as const),
  { ...call, when: "before", as: { delay_ms: 30_000 } }
]

const what = (call: NamedCall) => `${call.service} ${call.method} ${call.path}, call ${call.nth}`

/** An account before somebody is invited, and the invitation: into it, or into the platform team. */
const inviting = Effect.fnUntraced(function* (request: InviteRequest) {
  const { owner } = yield* account()
  yield* TestClock.adjust("10 seconds")
  const invite = inviteUser(request.role === "admin" ? administrator : owner.caller, request)
  return { owner, before: yield* everything, invite }
})

/** The person is there once, can log in, and is on the list. */
const welcome = Effect.fnUntraced(function* ({ email, role }: InviteRequest, because: string) {
  const login = yield* loginOf(email)
  assert.ok(login, because)
  assert.deepStrictEqual(yield* grantsOf(login.id), [role], because)
  assert.strictEqual(yield* refused(yield* tokenOf(login.id)), "accepted", because)
  yield* swept
  assert.strictEqual(yield* refused(yield* tokenOf(login.id)), "accepted", because)
  const { users } = yield* listUsers(administrator, { scope: role === "admin" ? "platform" : "all" }, page)
  assert.lengthOf(
    users.filter((_) => _.email === email),
    1,
    because
  )
})

for (const request of [ann, olga]) {
  const calls = await Effect.runPromise(
    Effect.flatMap(inviting(request), ({ invite }) => callsOf(invite)).pipe(onClock)
  )

  const fails = Effect.fnUntraced(function* (fault: Fault) {
    const because = titleOf(fault)
    const { before, invite } = yield* inviting(request)
    const exit = yield* Effect.exit(under(fault, inTime(invite)))
    if (Exit.isFailure(exit)) {
      const failure = yield* Effect.flip(exit)
      assert.include(["BadGateway", "Conflict"], failure._tag, because)
      if (failure._tag === "BadGateway") assert.include(failure.detail, "zitadel", because)
      assert.strictEqual((yield* listUsers(administrator, { scope: "all" }, page)).count, 1, because)
      yield* swept
      assert.deepStrictEqual(yield* everything, before, because)
      yield* inTime(invite)
    }
    yield* welcome(request, because)
  }, Effect.provide(Simulated))

  const isRepeated = Effect.fnUntraced(function* (fault: Fault) {
    const { invite } = yield* inviting(request)
    const exit = yield* Effect.exit(under(fault, inTime(invite)))
    const again = yield* inTime(invite)
    if (Exit.isSuccess(exit)) assert.strictEqual(again.user_id, exit.value.user_id)
    yield* welcome(request, `${titleOf(fault)}, and it is repeated at once`)
  }, Effect.provide(Simulated))

  const dies = Effect.fnUntraced(function* (fault: Fault) {
    const because = `${titleOf(fault)}, and the process is gone`
    const { before, invite } = yield* inviting(request)
    yield* under(fault, inDyingProcess(invite))
    yield* TestClock.adjust("119 seconds")
    yield* settle
    const held = yield* everything
    yield* inTime(sweepMembers)
    assert.deepStrictEqual(yield* everything, held, because)
    yield* swept
    assert.deepStrictEqual(yield* everything, before, because)
  }, Effect.provide(Simulated))

  const isHungUpOn = Effect.fnUntraced(function* (call: NamedCall) {
    const { invite } = yield* inviting(request)
    yield* (yield* SimulatedCloud).fault({ ...call, when: "before", as: { delay_ms: 5000 } })
    const asking = yield* Effect.forkDetach(invite)
    yield* settle
    yield* Fiber.interrupt(asking)
    yield* pass(10)
    yield* welcome(request, `the client hangs up at ${what(call)}`)
  }, Effect.provide(Simulated))

  /** The process stood still for so long that a sweep took its record. */
  const isLate = Effect.gen(function* () {
    const { credentials } = yield* Memory
    const { before, invite } = yield* inviting(request)
    const slow = { service: "zitadel", path: "**/_import", when: "before", as: { delay_ms: 5000 } } as const
    yield* (yield* SimulatedCloud).fault({ ...slow, method: "POST" })
    const asking = yield* Effect.forkChild(Effect.flip(invite))
    yield* settle
    for (const row of credentials.values()) {
      if (row.email === request.email) {
        credentials.set(row.credential_id, { ...row, mint_ends: DateTime.makeUnsafe(0) })
      }
    }
    yield* inTime(sweepMembers)
    assert.deepStrictEqual(yield* everything, before)
    assert.strictEqual((yield* inTime(Fiber.join(asking))).code, "invitation_busy")
    yield* swept
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))

  /** The process stood still for so long that another one took the invitation over, and told its caller of the login. */
  const isOvertaken = Effect.fnUntraced(function* (more: ReadonlyArray<Fault>) {
    const { credentials } = yield* Memory
    const { invite } = yield* inviting(request)
    const slow = { service: "zitadel", path: "**/_import", when: "before", as: { delay_ms: 5000 } } as const
    yield* (yield* SimulatedCloud).fault({ ...slow, method: "POST" })
    const asking = yield* Effect.forkChild(Effect.exit(invite))
    yield* settle
    for (const row of credentials.values()) {
      if (row.email === request.email) {
        credentials.set(row.credential_id, { ...row, mint_ends: DateTime.makeUnsafe(0) })
      }
    }
    yield* Effect.forEach(more, (yield* SimulatedCloud).fault)
    const { user_id } = yield* inTime(invite)
    const late = yield* inTime(Fiber.join(asking))
    if (Exit.isSuccess(late)) assert.strictEqual(late.value.user_id, user_id)
    else assert.strictEqual((yield* Effect.flip(late)).code, "invitation_busy")
    assert.strictEqual((yield* loginOf(request.email))?.id, user_id)
    yield* welcome(request, "it was taken over")
  }, Effect.provide(Simulated))

  describe(`an invitation with the role ${request.role}`, () => {
    // A teammate has no record that says that the login was told of: there it is removed, which is a fault.
    const holds = request.role === "admin" ? it.effect.fails : it.effect
    holds("leaves the login to another attempt that took over and completed", () => isOvertaken([]))
    it.effect("leaves the login to another attempt that took over and still runs", () =>
      isOvertaken([
        {
          service: "zitadel",
          method: "POST",
          path: "/management/v1/users/*/grants",
          when: "before",
          as: { delay_ms: 10_000 }
        }
      ])
    )

    it.effect("leaves nothing when its record is removed before the login exists", () => isLate)

    for (const call of sampled(`calls of an invitation of ${request.role}`, 6, calls)) {
      it.effect(`leaves nothing when ${what(call)} fails, and can be repeated`, () =>
        Effect.forEach(someFaultsOf(call), fails, { discard: true })
      )
      it.effect(`can be repeated at once when ${what(call)} fails`, () =>
        Effect.forEach(someFaultsOf(call), isRepeated, { discard: true })
      )
      it.effect(`leaves nothing of the late effect of ${what(call)} after it was given up`, () =>
        fails({ ...call, when: "before", as: { delay_ms: 30_000 } })
      )
      it.effect(`leaves nothing when the process dies at ${what(call)}`, () =>
        Effect.forEach(cutOffs(call), dies, { discard: true })
      )
      // Before the record is there, a hang-up ends it like any read.
      if (!call.path.endsWith("/users/_search")) {
        it.effect(`completes when a client disconnects at ${what(call)}`, () => isHungUpOn(call))
      }
    }
  })
}

/** A member, and how the role is changed. */
const changing = Effect.gen(function* () {
  const { owner, projectId } = yield* account()
  const member = yield* person(projectId, "customer", ann.email)
  yield* TestClock.adjust("10 seconds")
  return { owner, member, change: inviteUser(owner.caller, { ...ann, role: "customer-viewer" }) }
})

const changes = await Effect.runPromise(Effect.flatMap(changing, ({ change }) => callsOf(inTime(change))).pipe(onClock))

describe("a change of a role", () => {
  for (const call of changes) {
    it.effect(`is complete after a repeat when ${what(call)} fails`, () =>
      Effect.forEach(
        someFaultsOf(call),
        Effect.fnUntraced(function* (fault) {
          const because = titleOf(fault)
          const { change, member } = yield* changing
          const exit = yield* Effect.exit(under(fault, inTime(change)))
          if (Exit.isFailure(exit)) assert.strictEqual((yield* Effect.flip(exit))._tag, "BadGateway", because)
          assert.strictEqual(yield* refused(member.token), "accepted", because)
          assert.deepInclude(yield* inTime(change), { created: false, roles: ["customer-viewer"] }, because)
          assert.deepStrictEqual(yield* grantsOf(member.userId), ["customer-viewer"], because)
        }, Effect.provide(Simulated)),
        { discard: true }
      )
    )
  }
})

/** A member with a credential, and the removal. */
const removing = Effect.gen(function* () {
  const { owner, projectId } = yield* account()
  const member = yield* person(projectId, "customer", ann.email)
  const key = yield* minted(member.caller)
  assert.strictEqual(yield* refused(key.pat), "accepted")
  yield* TestClock.adjust("10 seconds")
  return { owner, member, key, removal: removeUser(owner.caller, member.userId) }
})

type Removing = Effect.Success<typeof removing>

const removals = await Effect.runPromise(
  Effect.flatMap(removing, ({ removal }) => callsOf(inTime(removal))).pipe(onClock)
)

/** Nothing of the member is left, and its credential is dead. */
const gone = Effect.fnUntraced(function* ({ key, member, owner }: Removing, because: string) {
  const { credentials } = yield* Memory
  assert.isUndefined(yield* loginOf(member.email), because)
  assert.deepStrictEqual(yield* grantsOf(member.userId), [], because)
  assert.isUndefined(
    [...credentials.values()].find((_) => _.user_id === member.userId),
    because
  )
  assert.strictEqual(credentials.get(key.credential_id)?.state, "revoked", because)
  assert.strictEqual(yield* refused(key.pat), "Unauthorized: Credential has been revoked", because)
  assert.notStrictEqual(yield* refused(member.token), "accepted", because)
  assert.strictEqual(yield* refused(owner.token), "accepted", because)
})

/** Once it has begun, the member is nobody, whatever became of the rest. */
const begun = Effect.fnUntraced(function* ({ member }: Removing) {
  const { credentials } = yield* Memory
  const row = [...credentials.values()].find((_) => _.user_id === member.userId)
  if (row?.state === "active") return false
  assert.notStrictEqual(yield* refused(member.token), "accepted")
  return true
})

describe("a removal", () => {
  for (const call of removals) {
    it.effect(`is completed by a repeat when ${what(call)} fails, with the same answer`, () =>
      Effect.forEach(
        someFaultsOf(call),
        Effect.fnUntraced(function* (fault) {
          const because = titleOf(fault)
          const story = yield* removing
          const exit = yield* Effect.exit(under(fault, inTime(story.removal)))
          if (Exit.isFailure(exit)) {
            assert.strictEqual((yield* Effect.flip(exit))._tag, "BadGateway", because)
            yield* begun(story)
            const answer = yield* inTime(story.removal)
            assert.deepStrictEqual(
              answer,
              {
                user_id: story.member.userId,
                credentials_revoked: [story.key.credential_id],
                webhooks_kept: [],
                integrations_kept: []
              },
              because
            )
          }
          yield* gone(story, because)
        }, Effect.provide(Simulated)),
        { discard: true }
      )
    )

    it.effect(`is completed by the sweep when ${what(call)} fails, or the process dies there`, () =>
      Effect.forEach(
        [
          ...someFaultsOf(call).map((fault) => [fault, false] as const),
          ...cutOffs(call).map((_) => [_, true] as const)
        ],
        Effect.fnUntraced(function* ([fault, dies]) {
          const because = `${titleOf(fault)}${dies ? ", and the process is gone" : ""}`
          const story = yield* removing
          if (dies) yield* under(fault, inDyingProcess(story.removal))
          else yield* under(fault, Effect.ignore(inTime(story.removal)))
          if (!(yield* begun(story))) return
          yield* swept
          yield* gone(story, because)
        }, Effect.provide(Simulated)),
        { discard: true }
      )
    )
  }

  it.effect("completes when a client disconnects", () =>
    Effect.gen(function* () {
      const story = yield* removing
      const cloud = yield* SimulatedCloud
      const slow = { service: "zitadel", path: "**/_deactivate", when: "before", as: { delay_ms: 5000 } } as const
      yield* cloud.fault({ ...slow, method: "POST" })
      const asking = yield* Effect.forkDetach(story.removal)
      yield* settle
      yield* Fiber.interrupt(asking)
      yield* pass(10)
      yield* gone(story, "the hang-up")
    }).pipe(Effect.provide(Simulated))
  )
})
