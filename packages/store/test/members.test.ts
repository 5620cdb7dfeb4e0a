import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials, type CredentialRow } from "../src/Credentials.ts"
import { type Begun, type Invitation, memberIdOf, memberLease } from "../src/memberRows.ts"
import { Members } from "../src/Members.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import * as Store from "../src/Store.ts"
import { present, storiesOf } from "./stories.ts"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

const firstPage = { limit: 100, after: undefined }

const invitation = (email: string, change: Partial<Invitation> = {}): Invitation => ({
  projectId: "project-1",
  email,
  role: "customer",
  displayName: `who is ${email}`,
  invitedBy: "owner",
  ...change
})

const begun = Effect.fnUntraced(function* (email: string, change: Partial<Invitation> = {}, allowance = 20) {
  return yield* (yield* Members).begin(invitation(email, change), allowance)
})

const rowOf = (begun: Begun): CredentialRow => {
  assert.include(["begun", "member"], begun._tag)
  return "row" in begun ? begun.row : assert.fail(begun._tag)
}

/** A member whose user id is that of the address. */
const member = Effect.fnUntraced(function* (email: string, change: Partial<Invitation> = {}) {
  return yield* present((yield* Members).complete(rowOf(yield* begun(email, change)), `user of ${email}`))
})

const emails = (rows: ReadonlyArray<CredentialRow>) => rows.map((_) => _.email)

storiesOf("Members", (story) => {
  story(
    "an invited address is a member once its login exists, found by user and by address in any case",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const row = rowOf(yield* begun("Ann@acme.example", { role: "customer-engineer" }))
      assert.deepInclude(row, {
        credential_id: memberIdOf("project-1", "ann@acme.example"),
        kind: "member",
        state: "minting",
        role: "customer-engineer",
        tier: 1,
        label: "Ann@acme.example",
        created_by: "owner",
        billing_access: false
      })
      assert.isUndefined(yield* members.find(row.user_id))
      assert.deepStrictEqual(yield* members.page("project-1", firstPage), { count: 0, rows: [] })

      const done = yield* present(members.complete(row, "user-1"))

      assert.deepInclude(done, { state: "active", user_id: "user-1", attempt: null, mint_ends: null })
      assert.deepStrictEqual(yield* members.find("user-1", "project-1"), done)
      assert.isUndefined(yield* members.find("user-1", "project-2"))
      assert.deepStrictEqual(yield* members.find("user-1"), done)
      assert.deepStrictEqual(yield* members.findByEmail("ANN@ACME.example"), done)
      const rows = [{ ...done, project_name: "", tenant_name: "" }]
      assert.deepStrictEqual(yield* members.page("project-1", firstPage), { count: 1, rows })
      assert.isUndefined(yield* members.complete(row, "user-2"))
      assert.isUndefined(yield* members.find("user-\0"))
      assert.isUndefined(yield* members.findByEmail(""))
    })
  )

  story(
    "every role has its tier",
    Effect.fnUntraced(function* () {
      const tiers = yield* Effect.forEach(
        ["customer-owner", "customer-admin", "customer", "customer-engineer", "customer-viewer"] as const,
        (role) => Effect.map(member(`${role}@acme.example`, { role }), (_) => [_.role, _.tier])
      )
      assert.deepStrictEqual(tiers, [
        ["customer-owner", 2],
        ["customer-admin", 2],
        ["customer", 2],
        ["customer-engineer", 1],
        ["customer-viewer", 0]
      ])
    })
  )

  story(
    "an address has one membership in all projects together",
    Effect.fnUntraced(function* () {
      const ann = yield* member("ann@acme.example")
      assert.deepStrictEqual(yield* begun("ANN@acme.example"), { _tag: "member", row: ann })
      assert.deepStrictEqual(yield* begun("Ann@acme.example", { projectId: "project-2" }), { _tag: "elsewhere" })
      const members = yield* Members
      assert.isUndefined(yield* members.insert(invitation("ANN@acme.example"), "user-2"))
      yield* begun("bob@acme.example")
      assert.deepStrictEqual(yield* begun("bob@acme.example", { projectId: "project-2" }), { _tag: "elsewhere" })
      assert.isUndefined(yield* members.insert(invitation("bob@acme.example", { projectId: "project-2" }), "user-3"))
    })
  )

  story(
    "of many concurrent invitations of one address, one begins in one project",
    Effect.fnUntraced(function* () {
      const results = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => ({ projectId: `project-${n % 3}` })),
        (change) => begun("ann@acme.example", change),
        { concurrency: "unbounded" }
      )
      const tags = results.map((_) => _._tag).toSorted()
      assert.deepStrictEqual(tags, [
        "begun",
        ...Array.from({ length: 3 }, () => "busy"),
        ...Array.from({ length: 8 }, () => "elsewhere")
      ])
    })
  )

  story(
    "an invitation counts against the allowance, and its repetition takes no second place",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1"))
      assert.strictEqual((yield* begun("ann@acme.example", {}, 2))._tag, "begun")
      assert.deepStrictEqual(yield* begun("bob@acme.example", {}, 2), { _tag: "full" })
      assert.isUndefined(yield* (yield* Members).findByEmail("bob@acme.example"))
      yield* credentials.revoke("1")
      const bob = rowOf(yield* begun("bob@acme.example", {}, 2))
      yield* (yield* Members).rest(bob)
      assert.strictEqual((yield* begun("bob@acme.example", {}, 2))._tag, "begun")
      assert.strictEqual(yield* credentials.countLive("project-1"), 2)
    })
  )

  story(
    "of many concurrent invitations, as many begin as the allowance has places",
    Effect.fnUntraced(function* () {
      const results = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => `p${n}@acme.example`),
        (email) => begun(email, {}, 4),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter((_) => _._tag === "begun").length, 4)
    })
  )

  story(
    "an abandoned invitation is taken over with the new values, and the first one loses it",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const first = rowOf(yield* begun("ann@acme.example"))
      assert.deepStrictEqual(yield* begun("ann@acme.example"), { _tag: "busy" })
      yield* members.rest(first)
      const second = rowOf(
        yield* begun("Ann@acme.example", { role: "customer-viewer", invitedBy: "admin", ou: "sales" })
      )
      assert.deepInclude(second, {
        credential_id: first.credential_id,
        role: "customer-viewer",
        tier: 0,
        email: "Ann@acme.example",
        created_by: "admin",
        ou: "sales"
      })

      assert.isUndefined(yield* members.complete(first, "user-1"))
      yield* members.rest(first)
      yield* members.drop(first)
      assert.deepStrictEqual(yield* begun("ann@acme.example"), { _tag: "busy" })
      assert.isDefined(yield* members.complete(second, "user-2"))
    })
  )

  story(
    "an invitation with an ended lease is taken over, or claimed by one sweep, never completed",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const ann = rowOf(yield* begun("ann@acme.example"))
      yield* begun("bob@acme.example")
      yield* members.rest(rowOf(yield* begun("cleo@acme.example")))
      yield* member("dora@acme.example")
      yield* pass(Duration.subtract(memberLease, margin))
      assert.deepStrictEqual(yield* members.claimAbandoned, [])
      yield* pass(margin)
      assert.isUndefined(yield* members.complete(ann, "user-1"))
      assert.strictEqual((yield* begun("ann@acme.example"))._tag, "begun")

      const sweeps = yield* Effect.all(
        Array.from({ length: 6 }, () => members.claimAbandoned),
        { concurrency: "unbounded" }
      )
      const claimed = sweeps.flat()
      assert.sameMembers(emails(claimed), ["bob@acme.example", "cleo@acme.example"])
      assert.deepStrictEqual(yield* begun("bob@acme.example"), { _tag: "busy" })
      yield* Effect.forEach(claimed, members.drop)
      assert.isUndefined(yield* members.findByEmail("bob@acme.example"))
    })
  )

  story(
    "a sweep of mints ignores invitations, and vice versa",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const members = yield* Members
      yield* begun("ann@acme.example")
      yield* credentials.insert(credential("1", { state: "minting" }))
      yield* pass(memberLease)
      assert.deepStrictEqual(
        (yield* credentials.claimAbandonedMints).map((_) => _.credential_id),
        ["1"]
      )
      assert.deepStrictEqual(emails(yield* members.claimAbandoned), ["ann@acme.example"])
    })
  )

  story(
    "a list has active members in pages, the oldest first, of one project or of all",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      for (const [email, projectId] of [
        ["c@acme.example", "project-1"],
        ["a@acme.example", "project-1"],
        ["b@acme.example", "project-2"],
        ["d@acme.example", "project-1"]
      ] as const) {
        yield* member(email, { projectId })
        yield* pass("1 second")
      }
      yield* begun("e@acme.example")
      yield* (yield* Credentials).insert(credential("machine"))
      const first = yield* members.page("project-1", { limit: 2, after: undefined })
      assert.deepStrictEqual(
        [first.count, emails(first.rows)],
        [3, ["c@acme.example", "a@acme.example", "d@acme.example"]]
      )
      const last = yield* present(Effect.succeed(first.rows[1]))
      const after = { at: DateTime.toEpochMillis(last.created_at), id: last.credential_id }
      const second = yield* members.page("project-1", { limit: 2, after })
      assert.deepStrictEqual([second.count, emails(second.rows)], [3, ["d@acme.example"]])
      const all = yield* members.page(undefined, firstPage)
      assert.deepStrictEqual(
        [all.count, emails(all.rows)],
        [4, ["c@acme.example", "a@acme.example", "b@acme.example", "d@acme.example"]]
      )
      assert.sameMembers(emails(yield* members.ofProject("project-1")), [
        "c@acme.example",
        "a@acme.example",
        "d@acme.example",
        "e@acme.example"
      ])
    })
  )

  story(
    "a role changes with its tier, and billing access only where it was granted",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const ann = yield* member("ann@acme.example", { role: "customer-viewer" })
      assert.deepStrictEqual(yield* members.setRole(ann, "customer-admin"), { ...ann, role: "customer-admin", tier: 2 })
      const granted = yield* present(members.setBilling(ann.user_id, true))
      assert.deepInclude(granted, { billing_access: true, role: "customer-admin" })
      assert.deepInclude(yield* present(members.setBilling(ann.user_id, false)), { billing_access: false })
      assert.isUndefined(yield* members.setBilling("nobody", true))
      assert.isUndefined(yield* members.setBilling("nobody\0", true))
      yield* members.beginRemoval(ann)
      assert.isUndefined(yield* members.setBilling(ann.user_id, true))
      assert.isUndefined(yield* members.setRole(ann, "customer"))
    })
  )

  story(
    "the last owner can be neither removed nor demoted; one under removal does not count",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const owner = yield* member("owner@acme.example", { role: "customer-owner" })
      yield* member("other@globex.example", { role: "customer-owner", projectId: "project-2" })
      yield* begun("invited@acme.example", { role: "customer-owner" })
      assert.strictEqual(yield* members.countOwners("project-1"), 1)
      for (const refused of [members.beginRemoval(owner), members.setRole(owner, "customer-admin")]) {
        assert.strictEqual(yield* refused, "last owner")
      }
      assert.deepStrictEqual(yield* members.setRole(owner, "customer-owner"), owner)
      assert.deepStrictEqual(yield* members.find(owner.user_id), owner)

      const second = yield* member("second@acme.example", { role: "customer-owner" })
      assert.deepInclude(yield* present(members.beginRemoval(owner)), { state: "revoked" })
      assert.strictEqual(yield* members.setRole(second, "customer"), "last owner")
      assert.strictEqual(yield* members.beginRemoval(second), "last owner")
    })
  )

  story(
    "of owners that are removed and demoted all at once, one stays",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const owners = yield* Effect.forEach(["a", "b", "c", "d", "e", "f"], (_) =>
        member(`${_}@acme.example`, { role: "customer-owner" })
      )
      const results = yield* Effect.forEach(
        owners,
        (owner, n) => (n % 2 === 0 ? members.beginRemoval(owner) : members.setRole(owner, "customer")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter((_) => _ === "last owner").length, 1)
      assert.strictEqual(yield* members.countOwners("project-1"), 1)
    })
  )

  story(
    "a member under removal is found until it is done, by a repeat and by the sweep",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const ann = yield* member("ann@acme.example")
      const first = yield* present(members.beginRemoval(ann))
      assert.ok(typeof first === "object" && first.revoked_at !== null)
      assert.deepStrictEqual(yield* members.page("project-1", firstPage), { count: 0, rows: [] })
      assert.deepStrictEqual(yield* begun("ann@acme.example"), { _tag: "busy" })
      yield* pass("1 second")
      const second = yield* present(members.beginRemoval(ann))
      assert.ok(typeof second === "object")
      assert.notStrictEqual(second.attempt, first.attempt)

      yield* pass(memberLease)
      const [claimed, ...others] = yield* members.claimAbandoned
      assert.ok(claimed !== undefined && others.length === 0)
      yield* members.drop(second)
      assert.isDefined(yield* members.find(ann.user_id))
      yield* members.drop(claimed)
      assert.isUndefined(yield* members.find(ann.user_id))
      assert.isUndefined(yield* members.beginRemoval(ann))
      assert.strictEqual((yield* begun("ann@acme.example"))._tag, "begun")
    })
  )

  story(
    "a member's credentials are those it made, also indirectly, without revoked ones",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const members = yield* Members
      const ann = yield* member("ann@acme.example")
      const by = { created_by: ann.user_id, made_by: ann.credential_id }
      for (const [id, change] of [
        ["before", by],
        ["live", by],
        ["its own successor", { ...by, created_by: "user-live", rotates: "live" }],
        ["another's successor", { created_by: "owner", made_by: "another's", rotates: "before" }],
        ["minted by it", { created_by: "user-live", made_by: "live" }],
        ["minted by that", { created_by: "user-minted by it", made_by: "minted by it" }],
        ["minting", { ...by, state: "minting" }],
        ["elsewhere", { ...by, project_id: "project-2" }],
        ["another's", {}]
      ] as const) {
        yield* credentials.insert(credential(id, change))
        yield* pass("1 second")
      }
      yield* credentials.revoke("before")
      yield* pass("1 second")
      const leaving = yield* present(members.beginRemoval(ann))
      assert.ok(typeof leaving === "object")
      const ids = Effect.map(members.credentialsOf(leaving), (_) => _.map((one) => one.credential_id))
      const theirs = ["live", "its own successor", "minted by it", "minted by that", "minting"]
      assert.deepStrictEqual(yield* ids, theirs)
      yield* credentials.revoke("live")
      yield* credentials.revoke("minted by it")
      assert.deepStrictEqual(yield* ids, theirs)
    })
  )

  story(
    "a mint that was revoked before it was complete is claimed by the sweep of mints",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1", { state: "minting" }))
      yield* credentials.insert(credential("2"))
      yield* credentials.revoke("1")
      yield* credentials.revoke("2")
      yield* pass(memberLease)
      assert.deepStrictEqual(
        (yield* credentials.claimAbandonedMints).map((_) => _.credential_id),
        ["1"]
      )
    })
  )

  story(
    "a listener is notified of every change of a member",
    Effect.fnUntraced(function* () {
      const members = yield* Members
      const changes = yield* (yield* Credentials).changes
      const ann = yield* member("ann@acme.example")
      yield* members.setBilling(ann.user_id, true)
      yield* members.setRole(ann, "customer-viewer")
      const leaving = yield* present(members.beginRemoval(ann))
      assert.ok(typeof leaving === "object")
      yield* members.drop(leaving)
      yield* members.insert(invitation("bob@acme.example"), "user-bob")
      const heard = yield* Stream.runCollect(Stream.take(changes, 6))
      assert.deepStrictEqual(heard, [...Array.from({ length: 5 }, () => ann.user_id), "user-bob"])
    })
  )
})

/** One connection, whose statistics of its own work are never late. */
const aloneOnPostgres = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    Layer.provideMerge(Store.layerNoDeps, PgClient.layer({ url, maxConnections: 1 }))
  )
).pipe(Layer.provide(TestDatabase.layerUrl))

it.live(
  "of many members a page is read off its index, of one project and of all",
  Effect.fnUntraced(function* () {
    const members = yield* Members
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO credentials (credential_id, project_id, user_id, kind, tier, label, state, client_id, created_by, created_at, role)
      SELECT 'member-' || n, 'project-' || n % 100, 'user-' || n, CASE WHEN n % 5 = 0 THEN 'api-key' ELSE 'member' END,
        2, '', 'active', '', '', now() + n * interval '1 second', 'customer'
      FROM generate_series(1, 30000) AS n`
    yield* sql`ANALYZE credentials`
    const read = Effect.fnUntraced(function* (index: string) {
      yield* sql`SELECT pg_stat_force_next_flush()`
      const [row] = yield* sql<{ read: number }>`
        SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = ${index}`
      return row?.read
    })
    const at = DateTime.toEpochMillis(yield* DateTime.now)
    for (const [index, projectId] of [
      ["credentials_member_page_of_project", "project-1"],
      ["credentials_member_page", undefined]
    ] as const) {
      for (const [after, rows] of [
        [undefined, 101],
        [{ at: at + 3_000_000, id: "" }, 202]
      ] as const) {
        const page = yield* members.page(projectId, { limit: 100, after })
        assert.lengthOf(page.rows, 101)
        assert.strictEqual(page.count, projectId === undefined ? 24_000 : 300)
        assert.strictEqual(yield* read(index), rows, index)
      }
    }
  }, Effect.provide(aloneOnPostgres))
)
