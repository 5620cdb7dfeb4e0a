import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials, everybodyIn, type NewCredential } from "../src/Credentials.ts"
import { Members } from "../src/Members.ts"
import { ofBefore } from "../src/migrations/0023_makers.ts"
import { OrganisationUnits } from "../src/OrganisationUnits.ts"
import { Pages } from "../src/Pages.ts"
import { Rotations } from "../src/Rotations.ts"
import { WorkloadIssuers } from "../src/WorkloadIssuers.ts"
import { WorkloadTokens } from "../src/WorkloadTokens.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential, successor } from "./credential.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const hour = Duration.hours(1)

/** Credentials, each by its id. */
const inserted = Effect.fnUntraced(function* (...all: ReadonlyArray<readonly [string, Partial<NewCredential>]>) {
  const credentials = yield* Credentials
  for (const [id, change] of all) {
    yield* credentials.insert(credential(id, change))
    yield* pass("1 second")
  }
  return credentials
})

const makersOf = Effect.fnUntraced(function* (id: string) {
  const { makers } = yield* present((yield* Credentials).derived({ id }))
  return makers.map((_) => `${_.id} ${_.kind} ${_.tier} ${_.state} ${_.billing ? "sees costs" : "no costs"}`)
})

const below = (id: string) =>
  Effect.flatMap(Credentials, (_) => Effect.map(_.madeBelow(id), (rows) => rows.map((row) => row.credential_id)))

const token = Effect.fnUntraced(function* (hash: string, madeBy: string | null, endsBy: DateTime.Utc | null = null) {
  const issuers = yield* WorkloadIssuers
  const issuer =
    (yield* issuers.find("wi-1")) ??
    (yield* present(
      issuers.insert({
        issuer_id: "wi-1",
        issuer: "https://cluster.example",
        project_id: "project-1",
        tier: 1,
        audience: "api",
        discovery_url: "https://cluster.example/d",
        jwks_uri: null,
        ca: null,
        subjects: ["system:serviceaccount:ci:*"],
        max_lifetime_seconds: 3600,
        enabled: true,
        created_by: "operator"
      })
    ))
  return yield* present(
    (yield* WorkloadTokens).issue({
      hash,
      issuerId: issuer.issuer_id,
      revision: issuer.revision,
      subject: "system:serviceaccount:ci:app",
      madeBy,
      endsBy,
      lifetime: hour
    })
  )
})

storiesOf("Makers", (story) => {
  story(
    "of a record are read with it, the nearest first, including people and workload tokens",
    Effect.fnUntraced(function* () {
      yield* inserted(
        ["ann", { kind: "member", role: "customer", tier: 2 }],
        ["one", { made_by: "ann", tier: 2, networks: ["192.0.2.0/24"], ou: "a.b" }]
      )
      yield* token("hash", "one")
      yield* inserted(["two", { made_by: "hash", kind: "mcp" }], ["three", { made_by: "two" }])
      yield* inserted(["lost", { made_by: "nobody" }])

      const chain = [
        "hash workload 1 active sees costs",
        "one api-key 2 active sees costs",
        "ann member 2 active no costs"
      ]
      assert.deepStrictEqual(yield* makersOf("three"), ["two mcp 1 active sees costs", ...chain])
      assert.deepStrictEqual(yield* makersOf("ann"), [])
      assert.deepStrictEqual(yield* makersOf("lost"), ["nobody workload 0 gone sees costs"])
      const { makers } = yield* present((yield* Credentials).derived({ userId: "user-three" }))
      assert.deepInclude(makers[2], { networks: ["192.0.2.0/24"], ou: "a.b", expires_at: null, revokes_at: null })
      assert.isNotNull(makers[1]?.expires_at)
      const found = yield* present((yield* WorkloadTokens).find("hash"))
      assert.deepStrictEqual(found.makers, makers.slice(2))
      const { rows } = yield* (yield* Pages).credentials(
        { projectId: "project-1", includeRevoked: false },
        { limit: 10, after: undefined }
      )
      assert.deepStrictEqual(rows.find((_) => _.credential_id === "three")?.makers, makers)
      assert.deepStrictEqual(yield* below("ann"), ["one", "two", "three"])
      assert.deepStrictEqual(yield* below("two"), ["three"])
    })
  )

  story(
    "end in a removed one when they are too many or form a circle",
    Effect.fnUntraced(function* () {
      yield* inserted(["one", { made_by: "two" }], ["two", { made_by: "one" }])
      const makers = yield* makersOf("one")
      assert.lengthOf(makers, 33)
      assert.match(makers.at(-1) ?? "", / gone /)
      assert.deepStrictEqual(yield* below("one"), ["two"])
    })
  )

  story(
    "notify every process of their changes, for the whole project",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(
        ["ann", { kind: "member", role: "customer-owner", tier: 2, email: "ann@acme.example" }],
        ["bob", { kind: "member", role: "customer-owner", tier: 2, email: "bob@acme.example" }],
        ["one", { made_by: "ann" }],
        ["leaf", { made_by: "one" }]
      )
      const members = yield* Members
      const units = yield* OrganisationUnits
      yield* units.insert({ project_id: "project-1", path: "a", created_by: "operator" })
      const ann = yield* present(credentials.find("ann"))
      const changes = yield* credentials.changes
      const whole = everybodyIn("project-1")
      const hears = Effect.fnUntraced(function* (what: string, change: Effect.Effect<unknown>) {
        const heard = yield* Effect.forkChild(Stream.runHead(Stream.filter(changes, (_) => _ === whole)))
        yield* change
        assert.strictEqual((yield* Fiber.join(heard))._tag, "Some", what)
      })
      yield* hears("role", members.setRole(ann, "customer-viewer"))
      yield* hears("money", members.setBilling(ann.user_id, true))
      yield* hears("unit", units.place("project-1", ann.user_id, "a"))
      yield* hears("revocation", credentials.revoke("one"))
      yield* hears("removal", members.beginRemoval(ann))
    })
  )

  story(
    "end their derived credentials when they are revoked, which are then claimed",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(
        ["one", {}],
        ["two", { made_by: "one" }],
        ["three", { made_by: "two", state: "minting" }],
        ["beside", {}]
      )
      yield* credentials.revoke("one")
      assert.isNotNull((yield* present(credentials.find("two"))).revokes_at)
      assert.isNull((yield* present(credentials.find("beside"))).revokes_at)
      const overdue = yield* (yield* Rotations).claimOverdue
      assert.sameMembers(
        overdue.map((_) => _.credential_id),
        ["two", "three"]
      )
    })
  )

  story(
    "pass on derived credentials when they are replaced: to a successor or their own maker",
    Effect.fnUntraced(function* () {
      const ends = DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")
      yield* inserted(
        ["ann", { kind: "member", role: "customer", tier: 2 }],
        ["old", { made_by: "ann", tier: 1, kind: "mcp", expires_at: ends }],
        ["made", { made_by: "old", tier: 2 }]
      )
      yield* token("hash", "old")
      const rotations = yield* Rotations
      const replaced = Effect.fnUntraced(function* (id: string, by: string, made_by: string) {
        yield* present(rotations.begin(successor(by, id, { made_by })))
        yield* present(rotations.complete(by, `hash of ${by}`, Duration.zero))
        yield* pass("1 second")
      })
      yield* replaced("old", "its own", "ann")
      assert.deepStrictEqual(yield* below("its own"), ["made"])
      assert.strictEqual((yield* present((yield* WorkloadTokens).find("hash"))).token.made_by, "its own")

      yield* inserted(["bob", { kind: "member", role: "customer", tier: 2 }])
      yield* inserted(
        ["agent", { made_by: "ann", tier: 1, kind: "mcp", expires_at: ends }],
        ["more", { made_by: "agent", tier: 2 }]
      )
      yield* replaced("agent", "bob's", "bob")
      const more = yield* present((yield* Credentials).find("more"))
      const { expires_at } = yield* present((yield* Credentials).find("agent"))
      assert.deepInclude(more, { made_by: "ann", tier: 1, kind: "mcp", expires_at })
      assert.deepStrictEqual(yield* below("bob"), ["bob's"])
    })
  )

  story(
    "of tokens limit their lifetime, and a token can be removed",
    Effect.fnUntraced(function* () {
      const tokens = yield* WorkloadTokens
      yield* inserted(["one", {}])
      const soon = DateTime.addDuration(yield* DateTime.now, Duration.minutes(10))
      assert.deepStrictEqual((yield* token("short", "one", soon)).expires_at, soon)
      const late = yield* token("whole", "one", DateTime.addDuration(soon, Duration.hours(3)))
      assert.deepStrictEqual(DateTime.distance(late.issued_at, late.expires_at), hour)
      yield* tokens.remove("whole")
      assert.isUndefined(yield* tokens.find("whole"))
    })
  )
})

postgresStoriesOf("Makers of records from before", (story) => {
  story(
    "follow from their creators, without those that had ended, and limit their lifetimes",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const soon = DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")
      const credentials = yield* inserted(
        ["ann", { kind: "member", role: "customer", tier: 2, user_id: "ann" }],
        ["first", { created_by: "operator" }],
        ["hers", { created_by: "ann" }],
        ["short", { created_by: "ann", expires_at: soon }],
        ["eternal", { created_by: "user-short" }],
        ["self", { created_by: "user-hers", rotates: "hers" }],
        ["below self", { created_by: "user-self" }],
        ["ended", { created_by: "ann" }],
        ["of ended", { created_by: "user-ended" }],
        ["of the first", { created_by: "user-first" }],
        ["foreign", { created_by: "ann", project_id: "project-2" }]
      )
      yield* sql`UPDATE credentials SET state = 'revoked' WHERE credential_id = 'ended'`
      yield* ofBefore
      const made = yield* sql<{ id: string; by: string | null }>`
        SELECT credential_id AS id, made_by AS by FROM credentials WHERE kind <> 'member' ORDER BY created_at`
      assert.deepStrictEqual(
        made.map(({ by, id }) => [id, by]),
        [
          ["first", null],
          ["hers", "ann"],
          ["short", "ann"],
          ["eternal", "short"],
          ["self", "ann"],
          ["below self", "self"],
          ["ended", "ann"],
          ["of ended", "ann"],
          ["of the first", "first"],
          ["foreign", null]
        ]
      )
      const { expires_at } = yield* present(credentials.find("short"))
      assert.isNotNull(expires_at)
      assert.deepStrictEqual((yield* present(credentials.find("eternal"))).expires_at, expires_at)
      assert.isNull((yield* present(credentials.find("hers"))).expires_at)
    })
  )
})
