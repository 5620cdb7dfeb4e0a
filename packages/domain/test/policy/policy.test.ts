import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import { areas } from "@portico/contract/areas"
import type { PolicyRequest } from "@portico/contract/Policy"
import { effective } from "@portico/domain/policy/effective"
import { place, takeOut } from "@portico/domain/policy/members"
import { listPolicies, putPolicy, removePolicy } from "@portico/domain/policy/policies"
import { createUnit, listUnits, removeUnit } from "@portico/domain/policy/units"
import { Credentials } from "@portico/store/Credentials"
import { Effect } from "effect"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { memberOf, personOf, tenantRowOf } from "./people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const owner = personOf("acme", "customer-owner")
const first = { limit: 100, after: undefined }

const machine = Effect.fnUntraced(function* (projectId: string, id: string, tier: 0 | 1 | 2 = 2) {
  yield* (yield* Credentials).insert({
    credential_id: id,
    project_id: projectId,
    user_id: `user-${id}`,
    kind: "api-key",
    tier,
    label: id,
    state: "active",
    client_id: id,
    pat_hash: null,
    created_by: "test",
    expires_at: null
  })
})

const units = (...paths: ReadonlyArray<string>) =>
  Effect.forEach(paths, (_) => createUnit(owner, undefined, _), { discard: true })
const policies = (...requests: ReadonlyArray<PolicyRequest>) =>
  Effect.forEach(requests, (_) => putPolicy(owner, undefined, _), { discard: true })

/** The words of a refusal, or that there was none. */
const outcome = <A, E extends { readonly detail: unknown }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "done", onFailure: (_) => _.detail })

/** Every change, in an order in which each of them can be made. */
const changes = (caller: Caller, project?: string) =>
  Effect.all([
    outcome(createUnit(caller, project, "sales")),
    outcome(place(caller, project, "sales", "cred-1")),
    outcome(putPolicy(caller, project, { ou: "sales", max_tier: 1 })),
    outcome(removePolicy(caller, project, "sales")),
    outcome(takeOut(caller, project, "sales", "cred-1")),
    outcome(removeUnit(caller, project, "sales"))
  ])

const reads = (caller: Caller, project?: string) =>
  Effect.all([
    outcome(listUnits(caller, project, first)),
    outcome(listPolicies(caller, project, first)),
    outcome(effective(caller, project, {}))
  ])

const role =
  "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role"
const noTenant = "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"

const there = Effect.gen(function* () {
  yield* tenantRowOf("acme")
  yield* tenantRowOf("globex")
  yield* machine("acme", "cred-1")
})

describe("required roles", () => {
  const cases: ReadonlyArray<
    readonly [name: string, caller: Caller, project: string | undefined, write: string, read: string]
  > = [
    ["an owner", owner, undefined, "done", "done"],
    ["an owner who names the own project", owner, "acme", "done", "done"],
    ["a customer-admin", personOf("acme", "customer-admin"), undefined, "done", "done"],
    ["a full member", personOf("acme", "customer"), undefined, role, "done"],
    ["an engineer", personOf("acme", "customer-engineer"), undefined, role, "done"],
    ["a viewer", personOf("acme", "customer-viewer"), undefined, role, "done"],
    ["a machine, at any tier", callerOf("acme"), undefined, role, "done"],
    ["an owner who names another project", owner, "globex", "Tenant 'globex' not found", "Tenant 'globex' not found"],
    ["an owner who names none that is there", owner, "none", "Tenant 'none' not found", "Tenant 'none' not found"],
    ["a platform administrator who names a project", administrator, "acme", "done", "done"],
    ["a platform administrator who names none", administrator, undefined, noTenant, noTenant],
    [
      "a platform administrator and no project",
      administrator,
      "none",
      "Tenant 'none' not found",
      "Tenant 'none' not found"
    ]
  ]
  it.effect.each(cases)("%s", ([, caller, project, write, read]) =>
    Effect.gen(function* () {
      yield* there
      assert.deepStrictEqual(yield* reads(caller, project), [read, read, read])
      assert.deepStrictEqual(yield* changes(caller, project), [write, write, write, write, write, write])
    }).pipe(Effect.provide(Simulated))
  )
})

describe("organisation units", () => {
  it.effect("need their parent, and are created once", () =>
    Effect.gen(function* () {
      yield* units("engineering")
      const make = (path: string) => outcome(createUnit(owner, undefined, path))
      assert.strictEqual(yield* make("engineering.backend.ci"), "Organisation unit 'engineering.backend' not found")
      assert.strictEqual(yield* make("engineering"), "Organisation unit 'engineering' exists already")
      const { count, next_cursor, ous } = yield* listUnits(owner, undefined, first)
      assert.strictEqual(count, 1)
      assert.isNull(next_cursor)
      assert.deepInclude(ous[0], { path: "engineering", parent: null, created_by: owner.userId })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are removed when they are empty, and otherwise name their contents", () =>
    Effect.gen(function* () {
      yield* machine("acme", "cred-1")
      yield* units("engineering", "engineering.backend")
      yield* place(owner, undefined, "engineering", "cred-1")
      yield* policies({ ou: "engineering", max_tier: 1 })
      assert.strictEqual(
        yield* outcome(removeUnit(owner, undefined, "engineering")),
        "Organisation unit 'engineering' cannot be deleted: it has units below it (1), credentials or members in it (1), " +
          "an access policy. Delete or move them first"
      )
      assert.strictEqual(yield* outcome(removeUnit(owner, undefined, "sales")), "Organisation unit 'sales' not found")
      assert.strictEqual(
        yield* outcome(removeUnit(owner, undefined, "no path!")),
        "Organisation unit 'no path!' not found"
      )
      assert.strictEqual(yield* outcome(removeUnit(owner, undefined, "engineering.backend")), "done")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("hold credentials and members of the own account alone", () =>
    Effect.gen(function* () {
      yield* machine("acme", "cred-1")
      yield* machine("globex", "cred-2")
      yield* memberOf("acme", "ada")
      yield* memberOf("globex", "gus")
      yield* units("engineering", "sales")
      const put = (id: string, path = "engineering") => place(owner, undefined, path, id)
      assert.deepStrictEqual(yield* put("cred-1"), { credential_id: "cred-1", user_id: null, ou: "engineering" })
      assert.deepStrictEqual(yield* put("ada"), { credential_id: null, user_id: "ada", ou: "engineering" })
      for (const id of ["cred-2", "gus", "nobody", "member-ada", "user-cred-1"]) {
        assert.strictEqual(yield* outcome(put(id)), `Credential or user '${id}' not found`)
        assert.strictEqual(
          yield* outcome(takeOut(owner, undefined, "engineering", id)),
          `Credential or user '${id}' not found`
        )
      }
      assert.strictEqual(yield* outcome(put("cred-1", "marketing")), "Organisation unit 'marketing' not found")
      assert.strictEqual(
        yield* outcome(takeOut(owner, undefined, "sales", "cred-1")),
        "Credential or user 'cred-1' not found"
      )
      assert.deepInclude(yield* takeOut(owner, undefined, "engineering", "ada"), { user_id: "ada", ou: null })
    }).pipe(Effect.provide(Simulated))
  )
})

describe("policies", () => {
  it.effect("are replaced whole, and removed", () =>
    Effect.gen(function* () {
      yield* units("engineering")
      yield* policies({ ou: "engineering", max_tier: 1, denies: ["compute", "compute", "dns:read"] })
      const [before] = (yield* listPolicies(owner, undefined, first)).policies
      assert.deepInclude(before, { ou: "engineering", max_tier: 1, denies: ["compute", "dns:read"] })
      yield* policies({ ou: "engineering" })
      const [after] = (yield* listPolicies(owner, undefined, first)).policies
      assert.deepInclude(after, { ou: "engineering", max_tier: null, denies: [] })
      assert.deepInclude(yield* removePolicy(owner, undefined, "engineering"), { ou: "engineering" })
      assert.strictEqual(
        yield* outcome(removePolicy(owner, undefined, "engineering")),
        "Access policy of 'engineering' not found"
      )
      assert.strictEqual(
        yield* outcome(removePolicy(owner, undefined, "")),
        "The account has no access policy of its own"
      )
      assert.strictEqual(
        yield* outcome(putPolicy(owner, undefined, { ou: "sales" })),
        "Organisation unit 'sales' not found"
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("deny known areas; a refusal lists all unknown ones", () =>
    Effect.gen(function* () {
      const denies = ["compute", "computing", "compute:delete", "compute:read:write", "iaas", ":read", "tenants", ""]
      const failure = yield* Effect.flip(putPolicy(owner, undefined, { ou: "", denies }))
      assert(failure._tag === "Invalid")
      assert.deepStrictEqual(
        failure.detail.map((_) => _.loc),
        [1, 2, 3, 4, 5, 6, 7].map((at) => ["body", "denies", at])
      )
      const list = areas.map((_) => `'${_}'`)
      assert.strictEqual(
        failure.detail[0]?.msg,
        "Input should be an area, alone or with one of ':read', ':operate' and ':destroy' behind it; " +
          `the areas are ${list.slice(0, -1).join(", ")} and ${list.at(-1)}`
      )
      for (const area of areas) {
        yield* policies({ ou: "", denies: [area, `${area}:read`, `${area}:operate`, `${area}:destroy`] })
      }
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the effective policy", () => {
  const three: ReadonlyArray<PolicyRequest> = [
    { ou: "", denies: ["dns:destroy"] },
    { ou: "engineering", max_tier: 1, denies: ["compute:destroy"] },
    { ou: "engineering.backend.ci", max_tier: 1, denies: ["dns:destroy", "network"] },
    { ou: "sales", max_tier: 0 }
  ]
  const organisation = Effect.gen(function* () {
    yield* there
    yield* machine("acme", "cred-0", 0)
    yield* memberOf("acme", "ada")
    yield* units("engineering", "engineering.backend", "engineering.backend.ci", "sales")
    yield* policies(...three)
    yield* place(owner, undefined, "engineering.backend.ci", "cred-1")
    yield* place(owner, undefined, "engineering.backend.ci", "cred-0")
    yield* place(owner, undefined, "sales", "ada")
  })

  it.effect("names the deciding unit of each rule, from the account down to the unit", () =>
    Effect.gen(function* () {
      yield* organisation
      assert.deepStrictEqual(yield* effective(owner, undefined, { credential_id: "cred-1" }), {
        project_id: "acme",
        ou: "engineering.backend.ci",
        credential_id: "cred-1",
        user_id: null,
        tier: 2,
        effective_tier: 1,
        max_tier: 1,
        max_tier_from: "engineering",
        denies: [
          { deny: "dns:destroy", from: "" },
          { deny: "compute:destroy", from: "engineering" },
          { deny: "network", from: "engineering.backend.ci" }
        ],
        units: [
          { ou: "", max_tier: null, denies: ["dns:destroy"] },
          { ou: "engineering", max_tier: 1, denies: ["compute:destroy"] },
          { ou: "engineering.backend", max_tier: null, denies: [] },
          { ou: "engineering.backend.ci", max_tier: 1, denies: ["dns:destroy", "network"] }
        ]
      })
      assert.deepInclude(yield* effective(owner, undefined, { credential_id: "cred-0" }), {
        tier: 0,
        effective_tier: 0
      })
      assert.deepInclude(yield* effective(owner, undefined, { user_id: "ada" }), {
        ou: "sales",
        credential_id: null,
        user_id: "ada",
        tier: 2,
        effective_tier: 0,
        max_tier_from: "sales"
      })
      assert.deepInclude(yield* effective(owner, undefined, { ou: "engineering.backend" }), {
        tier: null,
        effective_tier: null,
        max_tier: 1,
        max_tier_from: "engineering"
      })
      assert.deepInclude(yield* effective(owner, undefined, {}), { ou: "", max_tier: null, max_tier_from: null })
      assert.deepInclude(yield* effective(administrator, "acme", { ou: "sales" }), { max_tier: 0 })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of another account is 404", () =>
    Effect.gen(function* () {
      yield* organisation
      yield* machine("globex", "cred-9")
      yield* memberOf("globex", "gus")
      const ask = (asked: Parameters<typeof effective>[2]) => outcome(effective(owner, undefined, asked))
      for (const id of ["cred-9", "nobody", "ada"]) {
        assert.strictEqual(yield* ask({ credential_id: id }), `Credential '${id}' not found`)
      }
      for (const id of ["gus", "nobody", "cred-1"]) {
        assert.strictEqual(yield* ask({ user_id: id }), `Credential or user '${id}' not found`)
      }
      assert.strictEqual(yield* ask({ ou: "marketing" }), "Organisation unit 'marketing' not found")
      assert.deepStrictEqual<unknown>(yield* ask({ ou: "sales", user_id: "ada" }), [
        {
          loc: ["query"],
          msg: "Input should be at most one of credential_id, user_id and ou",
          type: "value_error"
        }
      ])
    }).pipe(Effect.provide(Simulated))
  )
})
