import { assert, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import type { InvitedRole } from "@portico/contract/Org"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"
import { inTime } from "@portico/testing/clock"
import { administrator } from "@portico/testing/tenants/caller"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { account, grantsOf, loginOf } from "./people.ts"

const invite = (caller: Caller, email: string, role: InvitedRole = "customer", project_id?: string) =>
  inTime(inviteUser(caller, { email, role, ...(project_id === undefined ? {} : { project_id }) }))

it.effect("an account's invitation mails are limited per hour, including those to removed people", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const globex = yield* account("Globex")
    const first = yield* invite(owner.caller, "p1@acme.example")
    yield* inTime(removeUser(owner.caller, first.user_id))
    yield* TestClock.adjust("5 minutes")
    for (const email of ["p2@acme.example", "p3@acme.example"]) yield* invite(owner.caller, email)

    const before = yield* everything
    for (const email of ["p4@acme.example", "p1@acme.example", "p2@acme.example"]) {
      assert.deepInclude(yield* Effect.flip(invite(owner.caller, email)), {
        _tag: "Conflict",
        code: "invitation_allowance",
        detail: "At most 3 invitations an hour go out by mail, and 5 to one address; invite again later"
      })
    }
    assert.deepStrictEqual(yield* everything, before)

    assert.isTrue((yield* invite(globex.owner.caller, "p1@globex.example")).created)
    assert.isTrue((yield* invite(administrator, "p5@acme.example", "customer", projectId)).created)
    yield* TestClock.adjust("56 minutes")
    assert.isTrue((yield* invite(owner.caller, "p4@acme.example")).created)
  }).pipe(Effect.provide(simulatedWith({ INVITATION_MAILS_PER_HOUR: "3" })))
)

it.effect("one address gets five mails of an account an hour, and role changes without mail after", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    const { user_id } = yield* invite(owner.caller, "ann@acme.example")
    for (let n = 2; n <= 5; n++) assert.isFalse((yield* invite(owner.caller, "Ann@acme.example")).created)
    const { code } = yield* Effect.flip(invite(owner.caller, "ann@acme.example"))
    assert.strictEqual(code, "invitation_allowance")

    const lowered = yield* invite(owner.caller, "ann@acme.example", "customer-viewer")
    assert.deepInclude(lowered, { created: false, roles: ["customer-viewer"], state: "USER_STATE_INITIAL" })
    assert.deepStrictEqual(yield* grantsOf(user_id), ["customer-viewer"])
    assert.strictEqual((yield* loginOf("ann@acme.example"))?.mails, 5)
    assert.isTrue((yield* invite(owner.caller, "bob@acme.example")).created)
  }).pipe(Effect.provide(Simulated))
)
