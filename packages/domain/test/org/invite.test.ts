import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import type { InvitedRole, InviteRequest } from "@portico/contract/Org"
import { whoami } from "@portico/domain/access/whoami"
import { inviteUser } from "@portico/domain/org/invite"
import { listUsers } from "@portico/domain/org/users"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { memberIdOf } from "@portico/store/memberRows"
import { Tenants } from "@portico/store/Tenants"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { administrator, refused, resolve, withTier } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime } from "@portico/testing/clock"
import { account, grantsOf, loginOf, minted, person, tokenOf } from "./people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const page = { limit: 100, after: undefined }

/** The identity provider takes its time for these calls. */
const slow = (method: string, path: string) =>
  Effect.flatMap(SimulatedCloud, (_) =>
    _.fault({ service: "zitadel", method, path, times: "always", when: "before", as: { delay_ms: 2000 } })
  )

/** The code of a refusal, or what became of the person. */
const outcome = (caller: Caller, request: InviteRequest) =>
  Effect.match(inTime(inviteUser(caller, request)), {
    onSuccess: ({ created }) => (created ? "invited" : "changed"),
    onFailure: ({ code }) => code
  })

it.effect("an invited person gets a mail, logs in with the role's tier and project, and is listed", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const request = { email: "Ann.van-Lee@Acme.example", role: "customer-engineer" } as const
    const answer = yield* inviteUser(owner.caller, request)

    const login = yield* loginOf("ann.van-lee@acme.example")
    assert.ok(login)
    assert.deepInclude(login, { state: "USER_STATE_INITIAL", mails: 1, displayName: "Ann Van Lee" })
    assert.deepStrictEqual(yield* grantsOf(login.id), ["customer-engineer"])
    const row = {
      user_id: login.id,
      display_name: "Ann Van Lee",
      email: "Ann.van-Lee@acme.example",
      roles: ["customer-engineer"],
      state: "USER_STATE_INITIAL",
      billing_access: false,
      project_id: projectId,
      project_name: "acme-gmbh",
      tenant_name: "Acme GmbH"
    }
    assert.deepStrictEqual(answer, { ...row, created: true })
    const { users } = yield* listUsers(owner.caller, {}, page)
    assert.deepStrictEqual(users[1], row)

    const caller = yield* resolve(yield* tokenOf(login.id))
    assert.deepInclude(caller, { role: "customer-engineer", billing: false, human: true, admin: false, tier: 1 })
    assert.deepStrictEqual(whoami(caller), {
      user_id: login.id,
      user_name: "ann.van-lee@acme.example",
      user_email: "Ann.van-Lee@acme.example",
      roles: ["customer-engineer"],
      tenant: { id: projectId, name: "Acme GmbH", source: "credential_store" },
      all_projects: false,
      tier: 1,
      credential_id: caller.credentialId,
      credential_label: "Ann.van-Lee@acme.example"
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a given name is shown", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    const request = { email: "x@acme.example", role: "customer", display_name: "  Cher  " } as const
    assert.strictEqual((yield* inviteUser(owner.caller, request)).display_name, "Cher")
    assert.deepInclude(yield* loginOf("x@acme.example"), { firstName: "Cher", lastName: "Cher", displayName: "Cher" })
  }).pipe(Effect.provide(Simulated))
)

describe("the roles that a caller may give", () => {
  const roles: ReadonlyArray<InvitedRole> = [
    "customer",
    "customer-viewer",
    "customer-engineer",
    "customer-admin",
    "customer-owner",
    "admin"
  ]
  const usual = ["invited", "invited", "invited", "invited", "role_not_given", "admin_required"]
  const nobody = roles.map(() => "people_role_required")
  const table = {
    "customer-owner": usual,
    "customer-admin": usual,
    customer: nobody,
    "customer-engineer": nobody,
    "customer-viewer": nobody
  } as const

  for (const [role, expected] of Object.entries(table)) {
    it.effect(`${role}: ${expected.join(", ")}`, () =>
      Effect.gen(function* () {
        const { projectId } = yield* account()
        const { caller } = yield* person(projectId, role as keyof typeof table, "somebody@acme.example")
        const found = yield* Effect.forEach(roles, (given) =>
          outcome(caller, { email: `new.${given}@acme.example`, role: given })
        )
        assert.deepStrictEqual(found, expected)
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("a machine credential: none, at any tier", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const machine = withTier(yield* resolve((yield* minted(owner.caller)).pat), 2)
      for (const role of roles) {
        assert.strictEqual(yield* outcome(machine, { email: "a@acme.example", role }), "people_role_required")
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a platform administrator: every role, in a named account", () =>
    Effect.gen(function* () {
      const { projectId } = yield* account()
      for (const role of roles.filter((_) => _ !== "admin")) {
        const request = { email: `${role}@new.example`, role, project_id: projectId }
        assert.strictEqual(yield* outcome(administrator, request), "invited")
      }
      const unnamed = { email: "a@new.example", role: "customer" } as const
      assert.strictEqual(yield* outcome(administrator, unnamed), "project_id_required")
      const unknown = { ...unnamed, project_id: "nowhere" }
      assert.strictEqual(yield* outcome(administrator, unknown), "project_not_found")
    }).pipe(Effect.provide(Simulated))
  )
})

it.effect("a person cannot raise their own role, and a lowered one applies from the next call", () =>
  Effect.gen(function* () {
    const { projectId } = yield* account()
    const ada = yield* person(projectId, "customer-admin")
    assert.strictEqual(yield* outcome(ada.caller, { email: ada.email, role: "customer-owner" }), "role_not_given")
    assert.strictEqual(yield* outcome(ada.caller, { email: ada.email, role: "customer-viewer" }), "changed")
    const after = yield* resolve(ada.token)
    assert.deepInclude(after, { role: "customer-viewer", tier: 0, roles: ["customer-viewer"] })
    assert.strictEqual(yield* outcome(after, { email: ada.email, role: "customer-admin" }), "people_role_required")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a second invitation changes the role in both places, and resends the mail until followed", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const request = { email: "ann@acme.example", role: "customer" } as const
    const { user_id } = yield* inviteUser(owner.caller, request)
    assert.strictEqual(yield* outcome(owner.caller, request), "changed")
    assert.strictEqual((yield* loginOf(request.email))?.mails, 2)

    const changed = yield* inTime(inviteUser(owner.caller, { email: "ANN@acme.example", role: "customer-viewer" }))
    assert.deepInclude(changed, { user_id, roles: ["customer-viewer"], state: "USER_STATE_INITIAL", created: false })
    assert.deepStrictEqual(yield* grantsOf(user_id), ["customer-viewer"])
    assert.strictEqual((yield* loginOf(request.email))?.mails, 3)

    const caller = yield* resolve(yield* tokenOf(user_id))
    assert.deepInclude(caller, { tier: 0, role: "customer-viewer" })
    const again = yield* inTime(inviteUser(owner.caller, request))
    assert.deepInclude(again, { user_id, roles: ["customer"], state: "USER_STATE_ACTIVE", created: false })
    assert.strictEqual((yield* loginOf(request.email))?.mails, 3)
    assert.strictEqual((yield* listUsers(owner.caller, {}, page)).count, 2)
    assert.strictEqual((yield* Memory).credentials.get(caller.credentialId ?? "")?.project_id, projectId)
  }).pipe(Effect.provide(Simulated))
)

it.effect("only an owner can change an owner, and the last one cannot be changed", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const ada = yield* person(projectId, "customer-admin")
    const lower = { email: owner.email, role: "customer" } as const
    assert.strictEqual(yield* outcome(ada.caller, lower), "owner_required")
    for (const caller of [owner.caller, administrator]) {
      const request = caller.admin ? { ...lower, project_id: projectId } : lower
      assert.strictEqual(yield* outcome(caller, request), "last_owner")
    }
    assert.deepStrictEqual(yield* grantsOf(owner.userId), ["customer-owner"])

    const second = yield* person(projectId, "customer-owner", "second@acme.example")
    assert.strictEqual(yield* outcome(second.caller, lower), "changed")
    assert.deepInclude(yield* resolve(owner.token), { role: "customer" })
  }).pipe(Effect.provide(Simulated))
)

it.effect("of two owners that demote each other at once one stays an owner, in both places", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const second = yield* person(projectId, "customer-owner", "second@acme.example")
    const demote = (by: Caller, email: string) => outcome(by, { email, role: "customer" })
    // Both have looked whether there is another owner before either changes anything.
    yield* slow("POST", "**/users/*/grants")
    const outcomes = yield* Effect.all([demote(owner.caller, second.email), demote(second.caller, owner.email)], {
      concurrency: "unbounded"
    })
    assert.sameMembers(outcomes, ["changed", "last_owner"])
    const left = yield* Effect.forEach([owner, second], ({ userId }) => grantsOf(userId))
    assert.sameDeepMembers(left, [["customer-owner"], ["customer"]])
    const rows = [...(yield* Memory).credentials.values()].filter((_) => _.kind === "member")
    assert.sameMembers(
      rows.map((_) => `${_.user_id} ${_.role}`),
      [owner, second].map(({ userId }, n) => `${userId} ${left[n]?.[0]}`)
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("a member who is also a platform administrator cannot be changed by the account", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const ann = yield* person(projectId, "customer")
    yield* (yield* Humans).setRole(ann.userId, "admin").pipe(inTime)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* outcome(owner.caller, { email: ann.email, role: "customer-viewer" }), "admin_required")
    const request = { email: ann.email, role: "customer-viewer", project_id: projectId } as const
    assert.strictEqual(yield* outcome(administrator, request), "changed")
  }).pipe(Effect.provide(Simulated))
)

describe("an address that already has a login", () => {
  it.effect("of another account: refused without its owner, also while it is invited there", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      const globex = yield* account("Globex")
      yield* inviteUser(globex.owner.caller, { email: "ann@globex.example", role: "customer" })
      const before = yield* everything
      for (const email of ["ann@globex.example", "ANN@globex.example", globex.owner.email]) {
        const failure = yield* Effect.flip(inviteUser(owner.caller, { email, role: "customer" }))
        assert.deepInclude(failure, { _tag: "Conflict", code: "login_elsewhere" })
        assert.notMatch(failure.detail, /globex/i)
        assert.notInclude(failure.detail, globex.projectId)
      }
      assert.deepStrictEqual(yield* everything, before)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("without an invitation: refused, and unchanged", () =>
    Effect.gen(function* () {
      const { owner } = yield* account()
      yield* (yield* Humans).create({
        email: "stranger@acme.example",
        displayName: "A Stranger",
        stamp: "made by hand",
        role: "customer"
      })
      const before = yield* loginOf("stranger@acme.example")
      const request = { email: "Stranger@acme.example", role: "customer" } as const
      assert.strictEqual(yield* outcome(owner.caller, request), "login_elsewhere")
      assert.deepStrictEqual(yield* loginOf("stranger@acme.example"), before)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("with an invitation's stamp forged in its profile: refused, by the account and the team", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const invites = [
        [owner.caller, projectId, { email: "colleague@acme.example", role: "customer-admin" }],
        [administrator, "", { email: "colleague@cloud.example", role: "admin" }]
      ] as const
      for (const [caller, project, request] of invites) {
        const { email } = request
        const stamp = `portico-member:${memberIdOf(project, email)}`
        const made = yield* inTime(
          (yield* Humans).create({ email, displayName: "An Outsider", stamp, role: "customer" })
        )
        yield* tokenOf(made.userId)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* outcome(caller, request), "login_elsewhere")
        assert.deepStrictEqual(yield* grantsOf(made.userId), ["customer"])
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of a membership lost by a restore: adopted with its role, and with no other", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const { credentials } = yield* Memory
      const invitation = { email: "ann@acme.example", role: "customer" } as const
      const { user_id } = yield* inviteUser(owner.caller, invitation)
      yield* tokenOf(user_id)
      credentials.delete(memberIdOf(projectId, invitation.email))
      yield* TestClock.adjust("5 seconds")

      assert.strictEqual(yield* outcome(owner.caller, { ...invitation, role: "customer-admin" }), "login_elsewhere")
      assert.deepStrictEqual(yield* grantsOf(user_id), ["customer"])
      yield* TestClock.adjust("5 minutes")
      const again = yield* inTime(inviteUser(owner.caller, invitation))
      assert.deepInclude(again, { created: true, user_id, roles: ["customer"] })
      assert.strictEqual((yield* resolve(yield* tokenOf(user_id))).tenant?.projectId, projectId)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of an onboarding's owner lost by a restore: adopted in that account alone", () =>
    Effect.gen(function* () {
      const { projectId } = yield* account()
      const globex = yield* account("Globex")
      const owner = Effect.fnUntraced(function* (email: string, ofProject: string) {
        const stamp = (yield* (yield* Tenants).find(ofProject))?.stamp ?? assert.fail("no tenant")
        const login = { email, displayName: "The owner", stamp, role: "customer-owner" }
        const { userId } = yield* inTime((yield* Humans).create(login))
        yield* tokenOf(userId)
        yield* TestClock.adjust("5 seconds")
        return userId
      })
      const asked = (email: string, role: InvitedRole) => outcome(administrator, { email, project_id: projectId, role })
      const userId = yield* owner("olga@acme.example", projectId)
      yield* owner("greta@globex.example", globex.projectId)
      assert.strictEqual(yield* asked("greta@globex.example", "customer-owner"), "login_elsewhere")
      assert.strictEqual(yield* asked("olga@acme.example", "customer-admin"), "login_elsewhere")
      assert.deepStrictEqual(yield* grantsOf(userId), ["customer-owner"])
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* asked("olga@acme.example", "customer-owner"), "invited")
      assert.strictEqual((yield* resolve(yield* tokenOf(userId))).tenant?.projectId, projectId)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("under the next member's name, with the role: refused, and unchanged", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const { credentials } = yield* Memory
      const eve = yield* person(projectId, "customer", "eve@acme.example")
      const login = (yield* loginOf(eve.email)) ?? assert.fail("no login")
      const email = "bob@acme.example"
      Object.assign(login, { userName: email, nickName: `portico-member:${memberIdOf(projectId, email)}` })
      credentials.delete(memberIdOf(projectId, eve.email))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* outcome(owner.caller, { email, role: "customer" }), "login_elsewhere")
      // Nor with the address that is not proved.
      Object.assign(login, { email, isEmailVerified: false })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* outcome(owner.caller, { email, role: "customer" }), "login_elsewhere")
      assert.match(yield* refused(eve.token), /^(Unauthorized|Forbidden): /)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of another account's member with a forged stamp: refused, and unchanged", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      const globex = yield* account("Globex")
      const { credentials } = yield* Memory
      const email = "colleague@acme.example"
      const stamp = `portico-member:${memberIdOf(projectId, email)}`
      const made = yield* inTime((yield* Humans).create({ email, displayName: "A Colleague", stamp, role: "customer" }))
      yield* tokenOf(made.userId)
      const owned = [...credentials.values()].find((_) => _.user_id === globex.owner.userId)
      assert(owned !== undefined)
      credentials.set("theirs", {
        ...owned,
        credential_id: "theirs",
        user_id: made.userId,
        email: "ours@globex.example"
      })
      yield* TestClock.adjust("5 seconds")
      const before = yield* loginOf(email)
      assert.strictEqual(yield* outcome(owner.caller, { email, role: "customer" }), "login_elsewhere")
      assert.deepStrictEqual(yield* loginOf(email), before)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the allowance of the tier", () => {
  it.effect("counts members and invitations, and a refusal has the numbers", () =>
    Effect.gen(function* () {
      const { owner } = yield* account("Acme GmbH", "discovery")
      // The first credential, and the owner.
      const invite = (n: number) => inviteUser(owner.caller, { email: `p${n}@acme.example`, role: "customer" })
      yield* Effect.forEach(Array.from({ length: 17 }).keys(), invite)
      yield* minted(owner.caller)
      const failure = yield* Effect.flip(invite(99))
      assert.deepInclude(failure, {
        code: "credential_allowance_reached",
        detail: "The tenant holds 20 live credentials and its tier allows 20; revoke one first"
      })
      assert.isUndefined(yield* loginOf("p99@acme.example"))
      assert.strictEqual((yield* Effect.flip(minted(owner.caller))).code, "credential_allowance_reached")
      // Who is a member already needs no place.
      assert.isFalse((yield* inTime(invite(1))).created)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of 25 concurrent invitations as many succeed as it has places", () =>
    Effect.gen(function* () {
      const { owner } = yield* account("Acme GmbH", "discovery")
      const many = Array.from({ length: 25 }, (_, n) =>
        Effect.result(inviteUser(owner.caller, { email: `p${n}@acme.example`, role: "customer" }))
      )
      const results = yield* inTime(Effect.all(many, { concurrency: "unbounded" }))
      assert.lengthOf(results.filter(Result.isSuccess), 18)
      assert.strictEqual((yield* listUsers(owner.caller, {}, page)).count, 19)
    }).pipe(Effect.provide(Simulated))
  )
})

it.effect("of concurrent invitations of one address one creates the login, others succeed or wait", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    const globex = yield* account("Globex")
    const ask = (by: Caller) => outcome(by, { email: "ann@acme.example", role: "customer" })
    yield* slow("POST", "**/_import")
    const outcomes = yield* Effect.all(
      [owner, owner, globex.owner, owner].map((_) => ask(_.caller)),
      {
        concurrency: "unbounded"
      }
    )
    assert.sameMembers(outcomes, ["invited", "invitation_busy", "login_elsewhere", "invitation_busy"])
    assert.strictEqual(yield* ask(owner.caller), "changed")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a closing account cannot be invited into", () =>
  Effect.gen(function* () {
    const { projectId } = yield* account()
    const { tenants } = yield* Memory
    const tenant = tenants.get(projectId)
    assert.ok(tenant)
    tenants.set(projectId, { ...tenant, closing: ["account_closure"] })
    const request = { email: "a@acme.example", role: "customer", project_id: projectId } as const
    assert.strictEqual(yield* outcome(administrator, request), "concurrent_deletion_state")
    assert.isUndefined(yield* loginOf("a@acme.example"))
  }).pipe(Effect.provide(Simulated))
)

describe("the platform team", () => {
  const request = { email: "Olga@Portico.example", role: "admin" } as const

  it.effect("has each person invited with the role admin, without a record of ours", () =>
    Effect.gen(function* () {
      const { credentials } = yield* Memory
      const answer = yield* inviteUser(administrator, request)
      assert.deepInclude(answer, {
        created: true,
        email: "Olga@portico.example",
        roles: ["admin"],
        state: "USER_STATE_INITIAL",
        project_id: null,
        project_name: "platform",
        tenant_name: "platform"
      })
      assert.strictEqual(credentials.size, 0)
      const caller = yield* resolve(yield* tokenOf(answer.user_id))
      assert.deepInclude(caller, { admin: true, tenant: null, role: null })

      yield* TestClock.adjust("5 seconds")
      const again = yield* inTime(inviteUser(administrator, request))
      assert.deepInclude(again, { created: false, user_id: answer.user_id, state: "USER_STATE_ACTIVE" })
      const team = yield* listUsers(administrator, { scope: "platform" }, page)
      assert.deepStrictEqual(
        [team.count, team.users.map((_) => [_.email, _.roles, _.project_id])],
        [1, [["Olga@portico.example", ["admin"], null]]]
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a member of an account cannot join it, nor a person of the team an account", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account()
      yield* inviteUser(administrator, request)
      const cases = [
        [administrator, { ...request, email: owner.email }, "login_elsewhere"],
        [administrator, { ...request, project_id: projectId }, "project_id_refused"],
        [owner.caller, { ...request, project_id: projectId }, "admin_required"],
        [owner.caller, { email: request.email, role: "customer" }, "login_elsewhere"]
      ] as const
      for (const [caller, asked, code] of cases) assert.strictEqual(yield* outcome(caller, asked), code)
      assert.strictEqual(yield* refused(owner.token), "accepted")
    }).pipe(Effect.provide(Simulated))
  )
})
