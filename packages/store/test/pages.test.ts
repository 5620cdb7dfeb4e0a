import { assert } from "@effect/vitest"
import { type PageRequest, pageOf, pageRequestOf } from "@portico/contract/Page"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials } from "../src/Credentials.ts"
import { type Found, type Listed, Pages } from "../src/Pages.ts"
import { Tenants } from "../src/Tenants.ts"
import { Usage } from "../src/Usage.ts"
import { WorkloadIssuers } from "../src/WorkloadIssuers.ts"
import { WorkloadTokens } from "../src/WorkloadTokens.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const acme = { projectId: "project-1", includeRevoked: false }
const whole = { ...acme, includeRevoked: true }

/** Inserts records, and gives their table. */
const inserted = Effect.fnUntraced(function* (...records: ReadonlyArray<Parameters<typeof credential>>) {
  const credentials = yield* Credentials
  yield* Effect.forEach(records, ([id, change]) => credentials.insert(credential(id, change)), { discard: true })
  return credentials
})

const mapping = {
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
} as const

const token = {
  hash: "hash",
  subject: "system:serviceaccount:ci:runner",
  madeBy: null,
  endsBy: null,
  lifetime: Duration.hours(1)
}

const inAnHour = Effect.map(DateTime.now, DateTime.add({ hours: 1 }))

/** The ids of a list from its first page to its last, and what every page said of the whole. */
const walked = Effect.fnUntraced(function* <Row extends { readonly created_at: DateTime.Utc }>(
  ask: (page: PageRequest) => Effect.Effect<Found<Row>>,
  id: (row: Row) => string,
  limit = 1000,
  time: (row: Row) => DateTime.Utc = (_) => _.created_at
) {
  const ids: Array<string> = []
  const counts = new Set<number>()
  let cursor: string | null = null
  do {
    const page: PageRequest = pageRequestOf(cursor === null ? { limit } : { limit, cursor })
    const { count, rows } = yield* ask(page)
    counts.add(count)
    const found = pageOf(rows, page, (_) => ({ at: DateTime.toEpochMillis(time(_)), id: id(_) }))
    ids.push(...found.rows.map(id))
    cursor = found.next_cursor
  } while (cursor !== null)
  return { ids, counts: [...counts] }
})

const credentialsOf = Effect.fnUntraced(function* (listed: Listed, limit?: number) {
  const pages = yield* Pages
  return yield* walked(
    (page) => pages.credentials(listed, page),
    (_) => _.credential_id,
    limit,
    (_) => (listed.unusedDays === undefined ? _.created_at : _.idle_since)
  )
})

const shown = (listed: Listed) => Effect.map(credentialsOf(listed), (_) => _.ids)

/** As {@link walked} finds them, in one page or many. */
const found = (...ids: ReadonlyArray<string>) => ({ ids, counts: [ids.length] })

storiesOf("Pages", (story) => {
  story(
    "the list has a project's active and revoked machine credentials, the oldest first",
    Effect.fnUntraced(function* () {
      yield* inserted(["2"])
      yield* pass("1 second")
      yield* inserted(["1"], ["3", { kind: "member" }], ["4", { state: "minting" }], ["5", { project_id: "project-2" }])
      yield* pass("1 second")
      yield* inserted(["6", { kind: "mcp", state: "suspended" }], ["7"])
      yield* pass("1 second")
      const credentials = yield* inserted(["8", { expires_at: yield* inAnHour }])
      yield* pass("2 hours")
      yield* credentials.revoke("7")

      assert.deepStrictEqual(yield* shown(acme), ["2", "1", "6", "8"])
      assert.deepStrictEqual(yield* shown(whole), ["2", "1", "6", "7", "8"])
      assert.deepStrictEqual(yield* credentialsOf({ ...whole, kind: "mcp" }), found("6"))
      assert.deepStrictEqual(yield* shown({ projectId: "project-2", includeRevoked: true }), ["5"])
      assert.deepStrictEqual(yield* shown({ projectId: undefined, includeRevoked: false }), ["2", "1", "5", "6", "8"])
      assert.deepStrictEqual(yield* credentialsOf({ projectId: "project-9", includeRevoked: true }), {
        ids: [],
        counts: [0]
      })
    })
  )

  story(
    "a kind lists its own, and a maker its derived ones: a person by user id, a cluster by mapping",
    Effect.fnUntraced(function* () {
      const issuer = yield* present((yield* WorkloadIssuers).insert(mapping))
      yield* present((yield* WorkloadTokens).issue({ ...token, issuerId: issuer.issuer_id, revision: issuer.revision }))
      yield* inserted(["member-1", { kind: "member", user_id: "olga" }])
      for (const [id, change] of [
        ["1", { made_by: "member-1" }],
        ["2", { made_by: "1", kind: "mcp" }],
        ["3", { made_by: "2", kind: "mcp" }],
        ["4", { made_by: "hash" }],
        ["5", { made_by: "nobody" }],
        ["6", { made_by: "member-1", project_id: "project-2" }]
      ] as const) {
        yield* inserted([id, change])
        yield* pass("1 second")
      }
      yield* (yield* Credentials).revoke("3")

      assert.deepStrictEqual(yield* credentialsOf({ ...acme, kind: "mcp" }), found("2"))
      assert.deepStrictEqual(yield* credentialsOf({ ...whole, kind: "mcp" }, 1), found("2", "3"))
      assert.deepStrictEqual(yield* credentialsOf({ ...acme, kind: "api-key" }), found("1", "4", "5"))
      const madeBy = (name: string, of: Listed = whole) => credentialsOf({ ...of, madeBy: name })
      assert.deepStrictEqual(yield* madeBy("olga"), found("1"))
      assert.deepStrictEqual(yield* madeBy("olga", { ...whole, projectId: undefined }), found("1", "6"))
      assert.deepStrictEqual(yield* madeBy("2", acme), found())
      assert.deepStrictEqual(yield* madeBy("2"), found("3"))
      assert.deepStrictEqual(yield* madeBy(issuer.issuer_id), found("4"))
      for (const none of ["member-1", "hash", "nobody", "user-1"]) {
        assert.deepStrictEqual(yield* madeBy(none), found(), none)
      }
      const { rows } = yield* (yield* Pages).credentials(acme, pageRequestOf({}))
      assert.deepStrictEqual(
        rows.map((_) => _.makers[0]?.public_id),
        ["olga", "1", issuer.issuer_id, null]
      )
    })
  )

  story(
    "the unused ones are older than the given days and unused in them, the longest first",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1"], ["2", { kind: "mcp" }], ["3"], ["4"], ["5"], ["6", { kind: "member" }])
      const use = Effect.fnUntraced(function* (credentialId: string) {
        yield* (yield* Usage).note([{ credentialId, at: yield* DateTime.now, from: "192.0.2.1" }])
      })
      yield* pass("10 days")
      yield* use("3")
      yield* inserted(["7", { project_id: "project-2" }])
      yield* credentials.revoke("5")
      yield* pass("10 days")
      yield* use("4")
      yield* inserted(["8"])
      yield* pass("10 days")
      const unused = (unusedDays: number, more: Partial<Listed> = {}, limit?: number) =>
        credentialsOf({ ...acme, unusedDays, ...more }, limit)
      for (const limit of [1, 2, 10]) {
        assert.deepStrictEqual(yield* unused(31, {}, limit), found())
        assert.deepStrictEqual(yield* unused(29, {}, limit), found("1", "2"))
        assert.deepStrictEqual(yield* unused(19, {}, limit), found("1", "2", "3"))
        assert.deepStrictEqual(yield* unused(21, { projectId: undefined }, limit), found("1", "2"))
        assert.deepStrictEqual(yield* unused(19, { projectId: undefined }, limit), found("1", "2", "3", "7"))
        assert.deepStrictEqual(yield* unused(9, { kind: "api-key" }, limit), found("1", "3", "4", "8"))
        assert.deepStrictEqual(yield* unused(9, { kind: "mcp" }, limit), found("2"))
      }
      yield* use("1")
      assert.deepStrictEqual(yield* unused(1), found("2", "3", "4", "8"))
    })
  )

  story(
    "a list has the tenant of each credential, where there is one",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* tenants.insert({ project_id: "project-1", slug: "acme", name: "Acme", tier: "standard", stamp: "s" })
      yield* inserted(["1"])
      yield* pass("1 second")
      yield* inserted(["2", { project_id: "project-2" }])
      const listed = { projectId: undefined, includeRevoked: false }
      const { rows } = yield* (yield* Pages).credentials(listed, pageRequestOf({}))
      assert.deepStrictEqual(
        rows.map((_) => [_.tenant_slug, _.tenant_name]),
        [
          ["acme", "Acme"],
          [null, null]
        ]
      )
    })
  )

  story(
    "a label lists the credentials with exactly this label, in pages of any size, with their count",
    Effect.fnUntraced(function* () {
      for (const [id, label] of [
        ["1", "CI"],
        ["2", "ci"],
        ["3", "CI "],
        ["4", "%"],
        ["5", "CI"]
      ] as const) {
        yield* inserted([id, { label }])
        yield* pass("1 second")
      }
      const credentials = yield* inserted(
        ["6", { label: "CI" }],
        ["7", { label: "CI", project_id: "project-2" }],
        ["8", { label: "CI", kind: "member" }],
        ["9", { label: "CI", state: "minting" }]
      )
      yield* credentials.revoke("5")
      const usage = yield* Usage
      for (const limit of [1, 2, 10]) {
        const listed = (of: Listed) =>
          Effect.all([
            credentialsOf(of, limit),
            walked(
              (page) => usage.page(of, page),
              (_) => _.credential_id,
              limit
            )
          ])
        const both = (...ids: ReadonlyArray<string>) => [found(...ids), found(...ids)]
        assert.deepStrictEqual(yield* listed({ ...acme, label: "CI" }), both("1", "6"))
        assert.deepStrictEqual(yield* listed({ ...whole, label: "CI" }), both("1", "5", "6"))
        assert.deepStrictEqual(yield* listed({ ...whole, projectId: undefined, label: "CI" }), both("1", "5", "6", "7"))
        assert.deepStrictEqual(yield* listed({ ...acme, label: "%" }), both("4"))
        assert.deepStrictEqual(yield* listed({ ...acme, label: "C" }), both())
      }
    })
  )

  story(
    "pages of any size have every credential once, also those of the same moment",
    Effect.fnUntraced(function* () {
      for (const group of [1, 2, 3]) {
        yield* inserted([`${group}-c`], [`${group}-a`], [`${group}-b`])
        yield* pass("1 second")
      }
      const { ids } = yield* credentialsOf(acme)
      assert.lengthOf(ids, 9)
      for (const limit of [1, 2, 3, 4, 8, 9, 10]) {
        assert.deepStrictEqual(yield* credentialsOf(acme, limit), found(...ids), `${limit} a page`)
      }
    })
  )

  story(
    "a credential that is minted while paging is on a later page, and none is on two",
    Effect.fnUntraced(function* () {
      yield* inserted(["1"])
      yield* pass("1 second")
      yield* inserted(["2"])
      yield* pass("1 second")
      const pages = yield* Pages
      const first = pageRequestOf({ limit: 1 })
      const { rows } = yield* pages.credentials(acme, first)
      yield* inserted(["0"])
      const { next_cursor } = pageOf(rows, first, (_) => ({
        at: DateTime.toEpochMillis(_.created_at),
        id: _.credential_id
      }))
      const next = yield* pages.credentials(acme, pageRequestOf({ cursor: next_cursor ?? "" }))
      assert.deepStrictEqual(
        next.rows.map((_) => _.credential_id),
        ["2", "0"]
      )
      assert.strictEqual(next.count, 3)
    })
  )

  story(
    "a forged cursor finds the rows after it or none",
    Effect.fnUntraced(function* () {
      yield* pass("1 second")
      yield* inserted(["1"])
      const pages = yield* Pages
      for (const [at, count] of [
        [0, 1],
        [999_999_999_999_999, 0]
      ] as const) {
        for (const id of ["", "1", "\u{10ffff}", "'; DROP TABLE credentials; --"]) {
          const { rows } = yield* pages.credentials(acme, { limit: 5, after: { at, id } })
          assert.lengthOf(rows, count, `${at} ${id}`)
        }
      }
    })
  )

  story(
    "the count follows a credential from its mint to its end, and to another project",
    Effect.fnUntraced(function* () {
      const count = Effect.all(
        [acme, whole, { projectId: undefined, includeRevoked: true }].map((_) => credentialsOf(_))
      )
      const counts = Effect.map(count, (_) => _.flatMap((_) => _.counts))
      const credentials = yield* inserted(["1", { state: "minting" }], ["2", { kind: "member" }], ["3"])
      assert.deepStrictEqual(yield* counts, [1, 1, 1])
      yield* credentials.activate("1", "hash-1")
      assert.deepStrictEqual(yield* counts, [2, 2, 2])
      yield* inserted(["4", { project_id: "project-2" }], ["5", { state: "suspended", kind: "mcp" }])
      assert.deepStrictEqual(yield* counts, [3, 3, 4])
      yield* credentials.revoke("1")
      yield* credentials.revoke("1")
      assert.deepStrictEqual(yield* counts, [2, 3, 4])
      yield* credentials.remove("3")
      yield* credentials.remove("3")
      assert.deepStrictEqual(yield* counts, [1, 2, 3])
    })
  )

  story(
    "tenants come in pages, the oldest first, with the number of all of them",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      const pages = yield* Pages
      const ask = (limit: number) =>
        walked(
          (page) => pages.tenants(page),
          (_) => _.project_id,
          limit
        )
      assert.deepStrictEqual(yield* ask(2), { ids: [], counts: [0] })
      for (const name of ["b", "c", "a"]) {
        yield* tenants.insert({ project_id: name, slug: name, name, tier: "standard", stamp: name })
        yield* pass("1 second")
      }
      for (const limit of [1, 2, 3, 4]) assert.deepStrictEqual(yield* ask(limit), found("b", "c", "a"))
    })
  )
})

postgresStoriesOf("Pages", (story) => {
  /** The numbers as they are kept, and as they are. */
  const kept = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ what: string }>`
      SELECT concat_ws(' ', project_id, kind, state, count) AS what FROM record_counts WHERE count <> 0 ORDER BY 1`
    const real = yield* sql<{ what: string }>`
      SELECT concat_ws(' ', project_id, kind, state, count(*)) AS what FROM credentials WHERE state <> 'minting'
      GROUP BY project_id, kind, state
      UNION ALL SELECT concat_ws(' ', '', 'tenant', 'live', count(*)) FROM tenants HAVING count(*) > 0 ORDER BY 1`
    return { kept: rows.map((_) => _.what), real: real.map((_) => _.what) }
  })
  const agree = Effect.fnUntraced(function* (because: string) {
    const { kept: numbers, real } = yield* kept
    assert.deepStrictEqual(numbers, real, because)
  })

  story(
    "the numbers are exact under concurrent changes, and after a rollback",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials
      const ids = Array.from({ length: 40 }, (_, index) => `${index}`)
      yield* Effect.forEach(
        ids,
        (id) => credentials.insert(credential(id, { project_id: `project-${Number(id) % 3}` })),
        { concurrency: "unbounded" }
      )
      yield* agree("inserts")
      yield* Effect.all(
        [
          ...ids.slice(0, 20).map((id) => credentials.revoke(id)),
          ...ids.slice(10, 30).map((id) => credentials.remove(id)),
          sql`UPDATE credentials SET kind = 'mcp' WHERE project_id = 'project-1' AND state = 'active'`
        ],
        { concurrency: "unbounded", discard: true }
      )
      yield* agree("changes")
      yield* Effect.exit(
        sql.withTransaction(Effect.andThen(credentials.insert(credential("late")), Effect.fail("no such luck")))
      )
      yield* agree("a rollback")
      yield* sql`DELETE FROM credentials`
      assert.deepStrictEqual(yield* kept, { kept: [], real: [] })
    })
  )

  story(
    "a removed project leaves no numbers, and a use changes none",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* inserted(["1"], ["2", { project_id: "project-2" }], ["3", { kind: "member" }])
      const before = yield* sql<{
        version: string
      }>`SELECT xmin::text AS version FROM record_counts ORDER BY project_id, kind`
      yield* sql`UPDATE credentials SET last_used_at = now(), last_used_from = '192.0.2.1'`
      assert.deepStrictEqual(
        yield* sql<{ version: string }>`SELECT xmin::text AS version FROM record_counts ORDER BY project_id, kind`,
        before
      )
      yield* sql`DELETE FROM credentials WHERE project_id = 'project-1'`
      const left = yield* sql<{ project: string }>`SELECT project_id AS project FROM record_counts`
      assert.deepStrictEqual(left, [{ project: "project-2" }])
    })
  )
})
