import { assert, it } from "@effect/vitest"
import { setBilling } from "@portico/domain/org/billing"
import { inviteUser } from "@portico/domain/org/invite"
import { listUsers } from "@portico/domain/org/users"
import { pageRequestOf } from "@portico/contract/Page"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { administrator, resolve } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { account, minted, person } from "./people.ts"
import { Process, Simulated } from "@portico/testing/cloud/Simulated"

const page = pageRequestOf({})

const emails = (list: { readonly users: ReadonlyArray<{ readonly email: string }> }) => list.users.map((_) => _.email)

it.effect("the list has the people of the own account alone, the oldest first", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const globex = yield* account("Globex")
    const ada = yield* person(projectId, "customer-admin")
    yield* minted(owner.caller)
    const list = yield* listUsers(ada.caller, {}, page)
    assert.deepStrictEqual(list, {
      count: 2,
      next_cursor: null,
      users: [
        {
          user_id: owner.userId,
          display_name: "Owner",
          email: owner.email,
          roles: ["customer-owner"],
          state: "USER_STATE_ACTIVE",
          billing_access: true,
          project_id: projectId,
          project_name: "acme-gmbh",
          tenant_name: "Acme GmbH"
        },
        {
          user_id: ada.userId,
          display_name: "Customer Admin",
          email: ada.email,
          roles: ["customer-admin"],
          state: "USER_STATE_ACTIVE",
          billing_access: false,
          project_id: projectId,
          project_name: "acme-gmbh",
          tenant_name: "Acme GmbH"
        }
      ]
    })
    for (const query of [
      { project_id: projectId },
      { scope: "tenant" },
      { scope: "tenant", project_id: projectId }
    ] as const) {
      assert.deepStrictEqual(yield* listUsers(owner.caller, query, page), list)
    }
    assert.deepStrictEqual(yield* listUsers(administrator, { project_id: projectId }, page), list)
    assert.deepStrictEqual(emails(yield* listUsers(administrator, { scope: "all" }, page)), [
      owner.email,
      globex.owner.email,
      ada.email
    ])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a refusal has the code for the caller's role and the asked scope", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const globex = yield* account("Globex")
    const eve = yield* person(projectId, "customer-engineer")
    const full = yield* person(projectId, "customer")
    const machine = yield* resolve((yield* minted(owner.caller)).pat)
    const cases = [
      ...[eve.caller, full.caller, machine].flatMap((caller) =>
        ([{}, { project_id: globex.projectId }, { scope: "all" }, { scope: "platform" }] as const).map(
          (query) => [caller, query, "people_role_required"] as const
        )
      ),
      [owner.caller, { project_id: globex.projectId }, "project_not_found"],
      [owner.caller, { project_id: "nowhere" }, "project_not_found"],
      [owner.caller, { project_id: "../\0" }, "project_not_found"],
      [owner.caller, { project_id: "" }, "project_not_found"],
      [owner.caller, { scope: "all" }, "admin_required"],
      [owner.caller, { scope: "all", project_id: projectId }, "admin_required"],
      [owner.caller, { scope: "platform" }, "admin_required"],
      [administrator, {}, "tenant_required"],
      [administrator, { project_id: "nowhere" }, "project_not_found"],
      [administrator, { scope: "all", project_id: projectId }, "project_id_refused"],
      [administrator, { scope: "platform", project_id: projectId }, "project_id_refused"]
    ] as const
    const before = yield* everything
    for (const [caller, query, code] of cases) {
      assert.strictEqual((yield* Effect.flip(listUsers(caller, query, page))).code, code, JSON.stringify(query))
    }
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("pages follow each other without a gap, and every one counts all", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    for (let n = 0; n < 6; n++) {
      yield* inviteUser(owner.caller, { email: `p${n}@acme.example`, role: "customer" })
      // Two of each moment.
      if (n % 2 === 1) yield* TestClock.adjust("1 second")
    }
    const found: Array<string> = []
    let cursor: string | null = ""
    let pages = 0
    for (; cursor !== null; pages++) {
      const asked = pageRequestOf({ limit: 2, ...(cursor === "" ? {} : { cursor }) })
      const list: { count: number; next_cursor: string | null; users: ReadonlyArray<{ email: string }> } =
        yield* listUsers(owner.caller, {}, asked)
      assert.strictEqual(list.count, 7)
      found.push(...emails(list))
      cursor = list.next_cursor
    }
    assert.strictEqual(pages, 4)
    assert.sameMembers(found, [owner.email, ...Array.from({ length: 6 }, (_, n) => `p${n}@acme.example`)])
  }).pipe(Effect.provide(Simulated))
)

it.effect("the state is the login's, from the beginning, and DELETED for a missing one", () =>
  Effect.gen(function* () {
    const { owner } = yield* account()
    const { world } = yield* SimulatedCloud
    const { user_id } = yield* inviteUser(owner.caller, { email: "ann@acme.example", role: "customer" })
    const states = Effect.map(listUsers(owner.caller, {}, page), ({ users }) => users.map((_) => _.state))
    assert.deepStrictEqual(yield* states, ["USER_STATE_ACTIVE", "USER_STATE_INITIAL"])
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(yield* states, ["USER_STATE_ACTIVE", "USER_STATE_INITIAL"])
    const ann = world.zitadel.users[user_id]
    if (ann !== undefined) ann.state = "USER_STATE_LOCKED"
    assert.deepStrictEqual(yield* states, ["USER_STATE_ACTIVE", "USER_STATE_LOCKED"])
    delete world.zitadel.users[user_id]
    assert.deepStrictEqual(yield* states, ["USER_STATE_ACTIVE", "USER_STATE_DELETED"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a list is one call to the identity provider for any page", () =>
  Effect.gen(function* () {
    const { owner } = yield* account("Acme GmbH", "extension")
    yield* Effect.forEach(Array.from({ length: 40 }).keys(), (n) =>
      inviteUser(owner.caller, { email: `p${n}@acme.example`, role: "customer" })
    )
    yield* TestClock.adjust("5 seconds")
    const cloud = yield* SimulatedCloud
    yield* cloud.clearCalls
    assert.lengthOf((yield* listUsers(owner.caller, {}, page)).users, 41)
    assert.deepStrictEqual(
      (yield* cloud.calls).map((_) => _.path),
      ["/management/v1/users/_search"]
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("billing access is granted with the next call, in every process, and withdrawn likewise", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const ann = yield* person(projectId, "customer-viewer", "ann@acme.example")
    const other = yield* Layer.build(Layer.fresh(Process))
    yield* settle
    const seen = Effect.gen(function* () {
      yield* settle
      return [(yield* resolve(ann.token)).billing, (yield* Effect.provide(resolve(ann.token), other)).billing]
    })
    assert.deepStrictEqual(yield* seen, [false, false])
    const granted = yield* setBilling(owner.caller, ann.userId, { billing_access: true })
    assert.deepInclude(granted, { user_id: ann.userId, billing_access: true, roles: ["customer-viewer"] })
    assert.deepStrictEqual(yield* seen, [true, true])
    assert.isTrue((yield* listUsers(owner.caller, {}, page)).users[1]?.billing_access)
    yield* setBilling(administrator, ann.userId, { billing_access: false })
    assert.deepStrictEqual(yield* seen, [false, false])
  }).pipe(Effect.provide(Simulated))
)

it.effect("only owners and platform administrators grant it, and an owner always has it", () =>
  Effect.gen(function* () {
    const { owner, projectId } = yield* account()
    const globex = yield* account("Globex")
    const ann = yield* person(projectId, "customer", "ann@acme.example")
    const ada = yield* person(projectId, "customer-admin")
    const machine = yield* resolve((yield* minted(owner.caller)).pat)
    const cases = [
      [ada.caller, ann.userId, true, "owner_required"],
      [ann.caller, ann.userId, true, "owner_required"],
      [machine, ann.userId, true, "owner_required"],
      [ada.caller, "nobody", true, "owner_required"],
      [owner.caller, globex.owner.userId, true, "user_not_found"],
      [owner.caller, machine.userId, true, "user_not_found"],
      [owner.caller, "nobody", true, "user_not_found"],
      [owner.caller, "\0", true, "user_not_found"],
      [administrator, "nobody", true, "user_not_found"],
      [owner.caller, owner.userId, false, "owner_sees_billing"]
    ] as const
    const before = yield* everything
    for (const [caller, userId, billing_access, code] of cases) {
      const failure = yield* Effect.flip(inTime(setBilling(caller, userId, { billing_access })))
      assert.strictEqual(failure.code, code)
    }
    assert.deepStrictEqual(yield* everything, before)
    assert.isTrue((yield* setBilling(owner.caller, owner.userId, { billing_access: true })).billing_access)
  }).pipe(Effect.provide(Simulated))
)
