import { assert } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Journal, type JournalEntry, lease } from "../src/Journal.ts"
import { Purges } from "../src/Purges.ts"
import { Tenants } from "../src/Tenants.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const acme = {
  attempt_id: "attempt-1",
  name: "Acme GmbH",
  slug: "acme",
  tier: "standard",
  steps: ["project", "network"]
} as const

const globex = { ...acme, attempt_id: "attempt-2", name: "Globex", slug: "globex" } as const

const left = [{ step: "network", message: "neutron answered 503" }]

const open = Effect.flatMap(Journal, (journal) => journal.open(acme))

const found = Effect.flatMap(Journal, (journal) => journal.find(acme.attempt_id))

/** Claims what it may, as the sweep of any replica does. */
const sweep = Effect.flatMap(Journal, (journal) => journal.claimAbandoned)

/** Nobody may claim the entry until this has passed, and then one may. */
const claimedAfter = Effect.fnUntraced(function* (pause: Duration.Duration) {
  yield* pass(Duration.subtract(pause, margin))
  assert.deepStrictEqual(yield* sweep, [], `claimed before ${Duration.format(pause)}`)
  yield* pass(margin)
  const [claimed] = yield* sweep
  assert.isDefined(claimed, `not claimed after ${Duration.format(pause)}`)
  return claimed
})

storiesOf("Journal", (story) => {
  story(
    "an entry that is opened runs under a lease",
    Effect.fnUntraced(function* () {
      const opened = yield* open

      const { lease: holder, lease_ends, started_at, ...entry } = opened
      assert.deepStrictEqual(entry, {
        ...acme,
        state: "running",
        failure: null,
        owner: null,
        unsettled: false,
        project_id: null,
        left_behind: [],
        done: [],
        withdrawn: [],
        withdrawals: 0
      })
      assert.isNotNull(holder)
      assert.closeTo(Duration.toSeconds(DateTime.distance(started_at, lease_ends)), Duration.toSeconds(lease), 10)
      assert.deepStrictEqual(yield* found, opened)
    })
  )

  story(
    "a rollback stores the project, for as long as it holds the entry",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* journal.locate(opened, "project-1")
      assert.strictEqual((yield* found)?.project_id, "project-1")
      yield* journal.locate({ ...opened, lease: randomUUID() }, "project-2")
      assert.strictEqual((yield* found)?.project_id, "project-1")
    })
  )

  story(
    "done steps are recorded by the holder alone, and stay recorded in a rollback",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* journal.open(globex)
      yield* journal.did(opened, "project")
      assert.deepStrictEqual((yield* found)?.done, ["project"])
      yield* journal.did({ ...opened, lease: randomUUID() }, "network")
      assert.deepStrictEqual((yield* found)?.done, ["project"])
      yield* journal.did(opened, "network")
      const turned = yield* journal.turnBack(opened, "neutron answered 503", false)
      assert.deepStrictEqual(turned?.done, ["project", "network"])
      assert.deepStrictEqual((yield* journal.find(globex.attempt_id))?.done, [])
    })
  )

  story(
    "undone steps are recorded by the holder alone, and reset by another rollback",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* journal.withdrew(opened, "subnet")
      const turned = yield* present(journal.turnBack(opened, null, false))
      assert.deepStrictEqual(turned.withdrawn, [])
      yield* journal.withdrew(turned, "network")
      yield* journal.withdrew({ ...turned, lease: randomUUID() }, "project")
      assert.deepStrictEqual((yield* found)?.withdrawn, ["network"])
      yield* journal.stick(turned, left)
      assert.deepStrictEqual((yield* found)?.withdrawn, ["network"])
      assert.deepStrictEqual((yield* present(journal.claim(acme.attempt_id))).withdrawn, [])
    })
  )

  story(
    "an entry holds its slug until it is settled, dropped, or rests",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const held = journal.slugHeld("acme")
      assert.isFalse(yield* held)

      const settled = yield* open
      assert.isTrue(yield* held)
      yield* journal.settle(settled)
      assert.isFalse(yield* held)

      const dropped = yield* open
      assert.isTrue(yield* held)
      yield* journal.drop(dropped)
      assert.isFalse(yield* held)

      const stuck = yield* open
      yield* journal.stick(stuck, left)
      assert.isTrue(yield* held)
      const claimed = yield* present(journal.claim(acme.attempt_id))
      assert.isTrue(yield* held)

      yield* journal.rest(claimed)
      assert.isFalse(yield* held)
    })
  )

  story(
    "a slug that is held cannot be opened again",
    Effect.fnUntraced(function* () {
      yield* open

      const again = (yield* Journal).open({ ...globex, slug: "acme" })

      assert.isTrue(yield* Effect.isFailure(Effect.sandbox(again)))
      assert.strictEqual((yield* found)?.state, "running")
    })
  )

  story(
    "settling closes the entry, once",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open

      assert.isTrue(yield* journal.settle(opened))
      assert.isUndefined(yield* found)
      assert.isFalse(yield* journal.settle(opened))
    })
  )

  story(
    "settling fails once the lease has ended, although the entry has not been claimed",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* pass(Duration.subtract(lease, margin))
      const inTime = yield* journal.open(globex)
      yield* pass(margin)

      assert.isFalse(yield* journal.settle(opened))
      assert.deepStrictEqual((yield* found)?.state, "running")
      assert.isTrue(yield* journal.settle(inTime))
    })
  )

  story(
    "settling is refused to an entry in rollback",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* journal.turnBack(opened, "nova answered 503", true)

      assert.isFalse(yield* journal.settle(opened))
      assert.strictEqual((yield* found)?.state, "withdrawing")
    })
  )

  story(
    "a rollback keeps the holder, stores its reason, counts and begins a new lease",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* pass(lease)

      const turned = yield* present(journal.turnBack(opened, "nova answered 503", true))

      assert.strictEqual(turned.lease, opened.lease)
      assert.strictEqual(turned.state, "withdrawing")
      assert.strictEqual(turned.failure, "nova answered 503")
      assert.isTrue(turned.unsettled)
      assert.strictEqual(turned.withdrawals, 1)
      assert.deepStrictEqual(yield* found, turned)
      yield* claimedAfter(lease)
    })
  )

  story(
    "an entry whose lease has ended is claimed for a rollback under a new lease",
    Effect.fnUntraced(function* () {
      const opened = yield* open

      const claimed = yield* claimedAfter(lease)

      assert.notStrictEqual(claimed.lease, opened.lease)
      assert.strictEqual(claimed.state, "withdrawing")
      assert.strictEqual(claimed.withdrawals, 1)
      assert.isNull(claimed.failure)
      assert.deepStrictEqual(yield* sweep, [])
      yield* claimedAfter(lease)
    })
  )

  story(
    "only the holder of the lease can change an entry",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const opened = yield* open
      yield* pass(lease)
      yield* sweep
      const claimed = yield* present(found)

      assert.isFalse(yield* journal.settle(opened))
      assert.isUndefined(yield* journal.turnBack(opened, "too late", true))
      yield* journal.drop(opened)
      yield* journal.rest(opened)
      yield* journal.stick(opened, left)

      assert.deepStrictEqual(yield* found, claimed)
      yield* journal.drop(claimed)
      assert.isUndefined(yield* found)
    })
  )

  story(
    "a stuck or resting entry has no holder, so that its last one cannot change it",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      for (const putDown of [(_: JournalEntry) => journal.stick(_, left), journal.rest]) {
        const opened = yield* open
        yield* putDown(opened)
        const lying = yield* present(found)
        assert.isNull(lying.lease)

        for (const entry of [opened, lying]) {
          yield* journal.drop(entry)
          yield* journal.rest(entry)
          yield* journal.stick(entry, [])
          assert.isUndefined(yield* journal.turnBack(entry, "too late", true))
        }

        assert.deepStrictEqual(yield* found, lying)
        const claimed = yield* present(journal.claim(acme.attempt_id))
        yield* journal.drop(claimed)
      }
    })
  )

  story(
    "a stuck entry lists what is left, and is claimed again after a pause",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      yield* journal.stick(yield* open, left)

      const stuck = yield* present(found)
      assert.strictEqual(stuck.state, "stuck")
      assert.deepStrictEqual(stuck.left_behind, left)

      const claimed = yield* claimedAfter(lease)
      assert.strictEqual(claimed.state, "withdrawing")
      assert.deepStrictEqual(claimed.left_behind, left)
    })
  )

  story(
    "the pauses of a stuck entry double up to an hour",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      let holder = yield* open
      for (const minutes of [2, 4, 8, 16, 32, 60, 60]) {
        yield* journal.stick(holder, left)
        holder = yield* claimedAfter(Duration.minutes(minutes))
      }
      assert.strictEqual(holder.withdrawals, 7)
    })
  )

  story(
    "a resting entry has no leftovers, and is claimed once more when its lease ends",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      yield* journal.stick(yield* open, left)
      const stuck = yield* present(journal.claim(acme.attempt_id))
      yield* journal.rest(stuck)

      const resting = yield* present(found)
      assert.strictEqual(resting.state, "resting")
      assert.deepStrictEqual(resting.left_behind, [])

      const claimed = yield* claimedAfter(lease)
      assert.strictEqual(claimed.state, "resting")
      yield* journal.drop(claimed)
      assert.isUndefined(yield* found)
    })
  )

  story(
    "a resting entry that sticks stays resting, because its name may have another owner",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      yield* journal.rest(yield* open)
      const successor = yield* journal.open({ ...acme, attempt_id: "attempt-2" })
      yield* pass(Duration.subtract(lease, margin))
      assert.isTrue(yield* journal.settle(successor))
      yield* pass(margin)
      const [claimed] = yield* sweep
      assert.isDefined(claimed)

      yield* journal.stick(claimed, left)

      const stuck = yield* present(found)
      assert.strictEqual(stuck.state, "resting")
      assert.deepStrictEqual(stuck.left_behind, left)
      assert.isFalse(yield* journal.slugHeld("acme"))
      assert.strictEqual((yield* journal.claim(acme.attempt_id))?.state, "resting")
    })
  )

  story(
    "an operator claims an entry that no running process holds",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const claim = journal.claim(acme.attempt_id)
      assert.isUndefined(yield* claim, "unknown")

      const opened = yield* open
      assert.isUndefined(yield* claim, "running")

      yield* journal.stick(opened, left)
      const stuck = yield* present(claim)
      assert.strictEqual(stuck.state, "withdrawing")
      assert.strictEqual(stuck.withdrawals, 1)
      assert.isUndefined(yield* claim, "claimed by another operator")

      yield* journal.rest(stuck)
      yield* pass(lease)
      assert.strictEqual((yield* sweep).length, 1)
      assert.isUndefined(yield* claim, "looked at once more by a sweep")

      yield* pass(lease)
      const abandoned = yield* present(claim)
      assert.strictEqual(abandoned.state, "resting")
      assert.strictEqual(abandoned.withdrawals, 3)
    })
  )

  story(
    "a claim goes to one caller",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const stuck = yield* open
      yield* journal.stick(stuck, left)

      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => journal.claim(acme.attempt_id)),
        {
          concurrency: "unbounded"
        }
      )
      assert.strictEqual(claims.filter((_) => _ !== undefined).length, 1)

      yield* pass(lease)
      const sweeps = yield* Effect.all(
        Array.from({ length: 8 }, () => sweep),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(sweeps.flat().length, 1)
    })
  )

  story(
    "a sweep takes every entry whose lease has ended, and no other",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      yield* open
      yield* journal.rest(yield* journal.open(globex))
      yield* pass(lease)
      yield* journal.open({ ...acme, attempt_id: "attempt-3", slug: "initech" })

      const claimed = yield* sweep

      assert.sameDeepMembers(
        claimed.map((_) => ({ slug: _.slug, state: _.state })),
        [
          { slug: "acme", state: "withdrawing" },
          { slug: "globex", state: "resting" }
        ]
      )
    })
  )

  story(
    "a holder holds the entry until its lease ends, it rolls back, or another process claims it",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const entry = yield* open
      assert.isTrue(yield* journal.holds(entry))
      const other = yield* journal.open(globex)
      yield* journal.turnBack(other, null, false)
      assert.isFalse(yield* journal.holds(other))
      yield* pass(Duration.sum(lease, margin))
      assert.isFalse(yield* journal.holds(entry))
      const [claimed] = yield* Effect.map(sweep, (_) => _.filter(({ slug }) => slug === "acme"))
      assert.isFalse(yield* journal.holds(entry))
      assert.isFalse(yield* journal.holds(claimed ?? entry))
    })
  )

  story(
    "a process that lost its entry takes it back from its new holder",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const entry = yield* open
      yield* pass(Duration.sum(lease, margin))
      const claimed = yield* present(Effect.map(sweep, (_) => _[0]))
      const again = yield* present(journal.reopen({ ...entry, project_id: "project-1" }, "stamp"))
      assert.deepStrictEqual(
        [again.state, again.unsettled, again.withdrawals, again.project_id],
        ["withdrawing", true, 2, "project-1"]
      )
      yield* journal.drop(claimed)
      assert.deepStrictEqual(yield* found, again)
      yield* journal.rest(again)
      assert.strictEqual((yield* found)?.state, "resting")
    })
  )

  story(
    "a dropped entry can be opened again, beside another attempt of the name",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const entry = yield* open
      yield* journal.drop(entry)
      yield* journal.open({ ...globex, slug: acme.slug })
      const again = yield* present(journal.reopen({ ...entry, project_id: "project-1" }, "stamp"))
      const { lease: holder, lease_ends } = again
      assert.notStrictEqual(holder, entry.lease)
      assert.deepStrictEqual(again, {
        ...entry,
        lease: holder,
        lease_ends,
        state: "resting",
        project_id: "project-1",
        unsettled: true,
        withdrawals: 1
      })
      yield* pass(Duration.sum(lease, margin))
      const claimed = yield* sweep
      assert.include(
        claimed.map((_) => _.attempt_id),
        acme.attempt_id
      )
    })
  )

  story(
    "an entry that was closed by its tenant's creation cannot be opened again",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      const entry = yield* open
      assert.isTrue(yield* journal.settle(entry))
      const { name, slug, tier } = acme
      yield* (yield* Tenants).insert({ project_id: "project-1", name, slug, stamp: "stamp", tier })
      assert.isUndefined(yield* journal.reopen(entry, "stamp"))
      assert.isUndefined(yield* found)
    })
  )

  story(
    "the list has every entry, the oldest first",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      assert.deepStrictEqual(yield* journal.list, [])

      // The names would sort the other way round.
      const older = yield* journal.open(globex)
      yield* pass("1 second")
      const newer = yield* open
      yield* journal.turnBack(newer, null, true)

      const list = yield* journal.list
      assert.deepStrictEqual(
        list.map((_) => _.attempt_id),
        [older.attempt_id, newer.attempt_id]
      )
    })
  )

  story(
    "an unknown attempt is not found",
    Effect.fnUntraced(function* () {
      yield* open
      assert.isUndefined(yield* (yield* Journal).find("attempt-9"))
    })
  )
})

postgresStoriesOf("Rows that replicas of an earlier release read", (story) => {
  story(
    "name a message `words`",
    Effect.fnUntraced(function* () {
      const purges = yield* Purges
      const sql = yield* SqlClient.SqlClient
      yield* (yield* Journal).stick(yield* open, left)
      yield* purges.open({ project_id: "p", reason: "project_deletion", requested_by: "user-1", request_id: "r" })
      const purge = yield* present(purges.claim({ projectId: "p" }))
      const refusal = { step: "image/images", message: "it is protected" }
      assert.deepInclude(yield* purges.keep(purge, { refusal }), { refusal })

      const [row] = yield* sql`SELECT left_behind, refusal FROM onboardings, purges`
      assert.deepStrictEqual(row, {
        left_behind: [{ step: "network", words: "neutron answered 503" }],
        refusal: { step: "image/images", words: "it is protected" }
      })
    })
  )
})
