import { assert } from "@effect/vitest"
import { type SignupState } from "@portico/contract/Signups"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Journal, lease } from "../src/Journal.ts"
import { type NewSignup, type SignupEntry, type SignupLimits, Signups } from "../src/Signups.ts"
import { Tenants } from "../src/Tenants.ts"
import { Transactions } from "../src/Transactions.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { replica } from "./replica.ts"
import { limits, signup } from "./signup.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const home = "192.0.2.1"

const ask = (what: NewSignup, source = home, held: SignupLimits = limits) =>
  Effect.flatMap(Signups, (_) => _.request(what, source, held))

const find = (id: string) => present(Effect.flatMap(Signups, (_) => _.find(`signup-${id}`)))

const all = (state?: SignupState) =>
  Effect.map(
    Effect.flatMap(Signups, (_) => _.page({ state, limit: 1000, after: undefined })),
    ({ count, rows }) => {
      assert.strictEqual(count, rows.length)
      return rows.map((_) => _.signup_id)
    }
  )

const attempt = (id: string) => ({
  attempt_id: id,
  name: "Acme",
  slug: `acme-${id}`,
  tier: "discovery" as const,
  steps: [],
  owner: { email: "ann@acme.example", display_name: "Ann" }
})

/** As an approval begins: the signup is claimed and the entry opened, together. */
const begin = Effect.fnUntraced(function* (entry: SignupEntry, id: string) {
  const { atomically } = yield* Transactions
  return yield* atomically(
    Effect.gen(function* () {
      assert.isTrue(yield* (yield* Signups).claim(entry, id))
      return yield* (yield* Journal).open(attempt(id))
    })
  )
})

/** Queued, approved, and live, unless its tenant is gone again. */
const onboarded = Effect.fnUntraced(function* (what: NewSignup, projectId: string, lives = true) {
  yield* ask(what)
  const signups = yield* Signups
  const entry = yield* present(signups.find(what.signup_id))
  const opened = yield* begin(entry, `attempt-of-${what.signup_id}`)
  const settled = yield* signups.settle(opened.attempt_id, { projectId, by: "op" })
  assert.isTrue(yield* (yield* Journal).settle(opened))
  if (lives)
    yield* (yield* Tenants).insert({ project_id: projectId, slug: projectId, name: "x", tier: "discovery", stamp: "s" })
  return settled
})

storiesOf("Signups", (story) => {
  story(
    "are queued in order, pending and undecided",
    Effect.fnUntraced(function* () {
      assert.isTrue(yield* ask(signup("1")))
      const entry = yield* find("1")
      assert.deepInclude(entry, { ...signup("1"), state: "pending", attempt_id: null, project_id: null })
      assert.deepInclude(entry, { decided_by: null, decided_at: null })
    })
  )

  const acme = { email: "Ann@acme.example", org_key: "acme" }
  const repeats: Readonly<Record<string, Partial<NewSignup>>> = {
    "the same": acme,
    "the address in another case": { ...acme, email: "ANN@ACME.EXAMPLE" },
    "the name in another spelling": { ...acme, org_name: "ACME" }
  }
  for (const [what, change] of Object.entries(repeats)) {
    story(
      `of one address and organisation are queued once: ${what}`,
      Effect.fnUntraced(function* () {
        yield* ask(signup("1", acme))
        assert.isTrue(yield* ask(signup("2", change), "198.51.100.1"))
        assert.deepStrictEqual(yield* all(), ["signup-1"])
      })
    )
  }

  story(
    "of one address for two organisations, and of one organisation by two people, are two",
    Effect.fnUntraced(function* () {
      yield* ask(signup("1", acme))
      yield* ask(signup("2", { ...acme, org_key: "globex" }))
      yield* ask(signup("3", { ...acme, email: "bob@acme.example" }))
      assert.lengthOf(yield* all(), 3)
    })
  )

  story(
    "are not queued for an organisation the address owns, until that ends",
    Effect.fnUntraced(function* () {
      yield* onboarded(signup("1", acme), "project-1")
      assert.isTrue(yield* ask(signup("2", acme)))
      assert.deepStrictEqual(yield* all("pending"), [])

      yield* onboarded(signup("3", { ...acme, org_key: "globex" }), "project-of-globex", false)
      yield* ask(signup("4", { ...acme, org_key: "globex" }))
      assert.deepStrictEqual(yield* all("pending"), ["signup-4"])
    })
  )

  story(
    "can be repeated after a rejection, which stays",
    Effect.fnUntraced(function* () {
      const signups = yield* Signups
      yield* ask(signup("1", acme))
      yield* signups.reject(yield* find("1"), "op")
      yield* ask(signup("2", acme))
      assert.deepStrictEqual([yield* all("rejected"), yield* all("pending")], [["signup-1"], ["signup-2"]])
    })
  )

  story(
    "of one address are limited in a day, and the answer does not show it",
    Effect.fnUntraced(function* () {
      const three = { ...limits, perAddress: 3 }
      const one = (id: string) => ask(signup(id, { email: `${id === "4" ? "ANN" : "ann"}@acme.example` }), home, three)
      for (const id of ["1", "2", "3", "4"]) assert.isTrue(yield* one(id))
      assert.lengthOf(yield* all(), 3)
      yield* pass("23 hours")
      yield* one("5")
      assert.lengthOf(yield* all(), 3)
      yield* pass("61 minutes")
      yield* one("6")
      assert.lengthOf(yield* all(), 4)
    })
  )

  for (const [who, held, source] of [
    ["from one source", { ...limits, perSource: 2 }, home],
    ["from everywhere", { ...limits, total: 2 }, "198.51.100.1"]
  ] as const) {
    story(
      `${who} are refused past the limit, queued or not, until the window has passed`,
      Effect.fnUntraced(function* () {
        assert.isTrue(yield* ask(signup("1", acme), home, held))
        assert.isTrue(yield* ask(signup("2", acme), home, held))
        assert.isFalse(yield* ask(signup("3"), source, held))
        assert.deepStrictEqual(yield* all(), ["signup-1"])
        yield* pass("9 minutes")
        assert.isFalse(yield* ask(signup("3"), source, held))
        yield* pass("61 seconds")
        assert.isTrue(yield* ask(signup("3"), source, held))
        assert.lengthOf(yield* all(), 2)
      })
    )
  }

  story(
    "from one source leave room for another",
    Effect.fnUntraced(function* () {
      const held = { ...limits, perSource: 1 }
      yield* ask(signup("1"), home, held)
      assert.isFalse(yield* ask(signup("2"), home, held))
      assert.isTrue(yield* ask(signup("3"), "198.51.100.1", held))
    })
  )

  story(
    "are approving while their attempt holds its name, and pending again after a rollback",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const signups = yield* Signups
      yield* ask(signup("1"))
      yield* ask(signup("2"))
      const before = yield* find("1")
      yield* begin(before, "attempt-1")
      const approving = yield* find("1")
      assert.deepInclude(approving, { state: "approving", attempt_id: "attempt-1" })
      assert.deepStrictEqual([yield* all("approving"), yield* all("pending")], [["signup-1"], ["signup-2"]])
      assert.deepStrictEqual(yield* all(), ["signup-1", "signup-2"])

      yield* pass(lease)
      const [swept] = yield* journal.claimAbandoned
      assert.strictEqual((yield* find("1")).state, "approving")
      yield* journal.stick(yield* present(Effect.succeed(swept)), [{ step: "network", message: "no" }])
      assert.strictEqual((yield* find("1")).state, "approving")

      const held = yield* present(journal.claim("attempt-1"))
      yield* journal.rest(held)
      assert.deepStrictEqual(yield* all("pending"), ["signup-1", "signup-2"])
      yield* pass(lease)
      yield* Effect.forEach(yield* journal.claimAbandoned, journal.drop)
      assert.strictEqual((yield* find("1")).state, "pending")
      assert.isTrue(yield* signups.claim(yield* find("1"), "attempt-2"))
    })
  )

  story(
    "are decided once, by the caller with the latest row",
    Effect.fnUntraced(function* () {
      const signups = yield* Signups
      yield* ask(signup("1"))
      const seen = yield* find("1")
      yield* begin(seen, "attempt-1")
      assert.isFalse(yield* signups.claim(seen, "attempt-2"))
      assert.isUndefined(yield* signups.reject(seen, "op"))
      assert.strictEqual((yield* find("1")).state, "approving")

      yield* ask(signup("2"))
      const other = yield* find("2")
      const rejected = yield* present(signups.reject(other, "op"))
      assert.deepInclude(rejected, { state: "rejected", decided_by: "op" })
      assert.isFalse(yield* signups.claim(other, "attempt-3"))
      assert.isUndefined(yield* signups.reject(other, "somebody else"))
      assert.strictEqual((yield* find("2")).decided_by, "op")
    })
  )

  story(
    "are onboarded with their attempt, by name and moment",
    Effect.fnUntraced(function* () {
      const settled = yield* onboarded(signup("1"), "project-1")
      assert.deepInclude(settled, { state: "onboarded", project_id: "project-1", decided_by: "op" })
      assert.isNotNull(settled.decided_at)
      assert.deepStrictEqual(yield* find("1"), settled)
      assert.deepStrictEqual(yield* all("onboarded"), ["signup-1"])
    })
  )

  story(
    "come in pages, the oldest first, of one state or of all",
    Effect.fnUntraced(function* () {
      const signups = yield* Signups
      // The ids sort the other way round.
      const ids = ["5", "4", "3", "2", "1"]
      for (const id of ids) {
        yield* ask(signup(id))
        yield* pass("1 second")
      }
      yield* signups.reject(yield* find("4"), "op")
      const read: Array<string> = []
      let after: SignupEntry | undefined
      do {
        const page = yield* signups.page({
          state: "pending",
          limit: 1,
          after: after && { at: DateTime.toEpochMillis(after.created_at), id: after.signup_id }
        })
        assert.strictEqual(page.count, 4)
        assert.isAtMost(page.rows.length, 2)
        after = page.rows.length > 1 ? page.rows[0] : undefined
        read.push(...page.rows.slice(0, 1).map((_) => _.signup_id))
      } while (after !== undefined)
      assert.deepStrictEqual(read, ["signup-5", "signup-3", "signup-2", "signup-1"])
      assert.deepStrictEqual(yield* all(), ["signup-5", "signup-4", "signup-3", "signup-2", "signup-1"])
    })
  )

  story(
    "the journal knows whose login an attempt creates",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      yield* journal.open(attempt("1"))
      const { owner: _, ...nobody } = attempt("2")
      yield* journal.open(nobody)
      assert.deepStrictEqual(
        (yield* journal.list).map((_) => _.owner),
        [{ email: "ann@acme.example", display_name: "Ann" }, null]
      )
      yield* pass(margin)
    })
  )
})

postgresStoriesOf("Signups, over several replicas", (story) => {
  story(
    "at once of one address and organisation are one row, and no more than the limit are let in",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      const same = { email: "ann@acme.example", org_key: "acme" }
      const answers = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) => Effect.provide(ask(signup(`${index}`, same), home, { ...limits, total: 20 }), replicas[index % 3]!),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter((_) => _).length, 20)
      assert.lengthOf(yield* all(), 1)
    })
  )

  story(
    "a rejection that waited for the beginning of an approval does not undo it",
    Effect.fnUntraced(function* () {
      yield* ask(signup("1"))
      const seen = yield* find("1")
      const other = yield* replica
      const { atomically } = yield* Transactions
      const claimed = yield* Deferred.make<void>()
      const waits = yield* Deferred.make<void>()
      const approval = Effect.gen(function* () {
        assert.isTrue(yield* (yield* Signups).claim(seen, "attempt-1"))
        yield* Deferred.succeed(claimed, undefined)
        yield* Deferred.await(waits)
        yield* (yield* Journal).open(attempt("attempt-1"))
      })
      const approving = yield* Effect.forkScoped(atomically(approval))
      yield* Deferred.await(claimed)
      const rejecting = yield* Effect.flatMap(Signups, (_) => _.reject(seen, "op")).pipe(
        Effect.provide(other),
        Effect.forkScoped
      )
      // For a row, which belongs to no database in pg_locks.
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
        Effect.repeat({ until: (_) => _.length === 1 })
      )
      yield* Deferred.succeed(waits, undefined)
      yield* Fiber.join(approving)
      assert.isUndefined(yield* Fiber.join(rejecting))
      assert.strictEqual((yield* find("1")).state, "approving")
    })
  )
})
