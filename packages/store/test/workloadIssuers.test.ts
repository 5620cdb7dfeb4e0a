import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials, projectMeant } from "../src/Credentials.ts"
import { type NewWorkloadIssuer, type WorkloadIssuer, WorkloadIssuers } from "../src/WorkloadIssuers.ts"
import { WorkloadTokens } from "../src/WorkloadTokens.ts"
import { pass } from "@portico/testing/store/Aging"
import { replica, somebodyWaits } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const issuer = (id: string, change: Partial<NewWorkloadIssuer> = {}): NewWorkloadIssuer => ({
  issuer_id: id,
  issuer: `https://${id}.example`,
  project_id: "project-1",
  tier: 1,
  audience: "portico",
  discovery_url: `https://${id}.example/.well-known/openid-configuration`,
  jwks_uri: null,
  ca: null,
  subjects: ["system:serviceaccount:ci:*"],
  max_lifetime_seconds: 3600,
  enabled: true,
  created_by: "operator",
  ...change
})

const registered = (id: string, change: Partial<NewWorkloadIssuer> = {}) =>
  Effect.flatMap(WorkloadIssuers, (_) => present(_.insert(issuer(id, change))))

const hour = Duration.hours(1)

const issue = (hash: string, { issuer_id, revision }: Pick<WorkloadIssuer, "issuer_id" | "revision">) =>
  Effect.flatMap(WorkloadTokens, (_) =>
    _.issue({
      hash,
      issuerId: issuer_id,
      revision,
      subject: "system:serviceaccount:ci:app",
      madeBy: null,
      endsBy: null,
      lifetime: hour
    })
  )

const works = (hash: string) =>
  Effect.flatMap(WorkloadTokens, (_) => Effect.map(_.find(hash), (found) => found !== undefined))

storiesOf("Issuers of workloads", (story) => {
  story(
    "an issuer stands for one tenant, and its name is compared exactly",
    Effect.fnUntraced(function* () {
      const issuers = yield* WorkloadIssuers
      const first = yield* registered("one", {
        issuer: "https://a.example",
        ca: "PEM",
        jwks_uri: "https://a.example/k"
      })
      assert.isDefined(yield* issuers.findByIssuer("https://a.example", "project-1"))
      assert.isUndefined(yield* issuers.findByIssuer("https://a.example", "project-2"))
      assert.deepInclude(first, {
        ...issuer("one"),
        issuer: "https://a.example",
        ca: "PEM",
        jwks_uri: "https://a.example/k",
        revision: 1
      })
      assert.deepStrictEqual(first.changed_at, first.created_at)
      assert.isUndefined(yield* issuers.insert(issuer("two", { issuer: "https://a.example", project_id: "project-2" })))
      assert.deepStrictEqual(yield* issuers.findByIssuer("https://a.example"), first)
      assert.deepStrictEqual(yield* issuers.find("one"), first)
      for (const other of ["https://A.example", "https://a.example/", "https://a.exampl_", "", "\0"]) {
        assert.isUndefined(yield* issuers.findByIssuer(other), other)
      }
      for (const other of ["One", "two", "", "\0"]) {
        assert.isUndefined(yield* issuers.find(other))
        assert.isUndefined(yield* issuers.change(other, { tier: 2 }))
        assert.isUndefined(yield* issuers.remove(other))
      }
    })
  )

  story(
    "pages list all of them once, with any names",
    Effect.fnUntraced(function* () {
      const issuers = yield* WorkloadIssuers
      const names = ["c", "a", "b", "e", "d"]
      for (const name of names) {
        yield* registered(name)
        yield* pass("1 second")
      }
      const seen: Array<string> = []
      let after: { readonly at: number; readonly id: string } | undefined
      for (;;) {
        const { count, rows } = yield* issuers.page({ limit: 2, after })
        assert.strictEqual(count, 5)
        seen.push(...rows.slice(0, 2).map((_) => _.issuer_id))
        const last = rows[1]
        if (rows.length <= 2 || last === undefined) break
        after = { at: DateTime.toEpochMillis(last.created_at), id: last.issuer_id }
      }
      assert.deepStrictEqual(seen, names)
    })
  )

  story(
    "a change leaves other fields, and ends the tokens issued before it",
    Effect.fnUntraced(function* () {
      const issuers = yield* WorkloadIssuers
      const before = yield* registered("one")
      assert.isDefined(yield* issue("old", before))
      const changed = yield* present(
        issuers.change("one", { tier: 2, subjects: ["system:serviceaccount:*:x"], ca: "PEM", jwks_uri: null })
      )
      assert.deepInclude(changed, {
        ...before,
        tier: 2,
        subjects: ["system:serviceaccount:*:x"],
        ca: "PEM",
        revision: 2,
        changed_at: changed.changed_at
      })
      assert.isFalse(yield* works("old"))
      assert.isUndefined(yield* issue("late", before), "an exchange that began before the change")
      assert.isDefined(yield* issue("new", changed))
      assert.isTrue(yield* works("new"))
      yield* issuers.change("one", { enabled: false })
      assert.isFalse(yield* works("new"))
      assert.isUndefined(yield* issue("disabled", { issuer_id: "one", revision: 3 }))
    })
  )

  story(
    "a token lasts for its time, and is then deleted",
    Effect.fnUntraced(function* () {
      const tokens = yield* WorkloadTokens
      const mapping = yield* registered("one")
      const token = yield* present(issue("first", mapping))
      assert.strictEqual(Duration.toMillis(DateTime.distance(token.issued_at, token.expires_at)), 3_600_000)
      yield* pass("30 minutes")
      yield* issue("second", mapping)
      assert.deepStrictEqual(
        (yield* present(tokens.find("first"))).issuer,
        yield* present((yield* WorkloadIssuers).find("one"))
      )
      assert.strictEqual(yield* tokens.prune, 0)
      yield* pass("30 minutes")
      assert.isFalse(yield* works("first"))
      assert.isTrue(yield* works("second"))
      assert.strictEqual(yield* tokens.prune, 1)
      assert.isTrue(yield* works("second"))
      assert.isFalse(yield* works("nothing"))
    })
  )

  story(
    "a mapping is removed with its tokens, and a tenant with all its mappings",
    Effect.fnUntraced(function* () {
      const issuers = yield* WorkloadIssuers
      for (const [id, project_id] of [
        ["a", "project-1"],
        ["b", "project-1"],
        ["c", "project-2"]
      ] as const) {
        yield* issue(`token of ${id}`, yield* registered(id, { project_id }))
      }
      assert.deepInclude(yield* present(issuers.remove("a")), { issuer_id: "a" })
      assert.isFalse(yield* works("token of a"))
      yield* registered("a")
      assert.isFalse(yield* works("token of a"), "though the mapping is there again")
      yield* issuers.removeOfProject("project-1")
      yield* issuers.removeOfProject("project-1")
      assert.deepStrictEqual(
        (yield* issuers.page({ limit: 10, after: undefined })).rows.map((_) => _.issuer_id),
        ["c"]
      )
      assert.isFalse(yield* works("token of b"))
      assert.isTrue(yield* works("token of c"))
    })
  )

  story(
    "a listener is notified whose mapping has changed or was removed",
    Effect.fnUntraced(function* () {
      const issuers = yield* WorkloadIssuers
      yield* registered("a", { project_id: "project-a" })
      yield* registered("b", { project_id: "project-b" })
      const changes = yield* (yield* Credentials).changes
      yield* registered("c")
      yield* issuers.change("a", { tier: 0 })
      yield* issuers.change("none", { tier: 0 })
      yield* issuers.remove("b")
      yield* issuers.removeOfProject("project-a")
      const heard = yield* Stream.runCollect(Stream.take(changes, 3))
      assert.deepStrictEqual(heard.map(projectMeant), ["project-a", "project-b", "project-a"])
    })
  )
})

postgresStoriesOf("Issuers of workloads on several replicas", (story) => {
  story(
    "of several that register the same issuer, one succeeds",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      const made = yield* Effect.forEach(
        [...replicas, ...replicas],
        (context, i) =>
          Effect.provide(
            Effect.flatMap(WorkloadIssuers, (_) => _.insert(issuer(`wi-${i}`, { issuer: "https://one.example" }))),
            context
          ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        made.filter((_) => _ !== undefined),
        1
      )
    })
  )

  story(
    "a token issued while its mapping is removed is issued before, or not at all",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const issuers = yield* WorkloadIssuers
      for (const end of ["remove", "change"] as const) {
        const mapping = yield* registered(end)
        const other = yield* replica
        yield* Effect.scoped(
          Effect.gen(function* () {
            const late = yield* sql.withTransaction(
              Effect.gen(function* () {
                yield* end === "remove" ? issuers.remove(end) : issuers.change(end, { enabled: true })
                const waiting = yield* Effect.forkScoped(Effect.provide(issue(`late ${end}`, mapping), other))
                yield* Effect.provide(somebodyWaits, yield* replica)
                return waiting
              })
            )
            assert.isUndefined(yield* Fiber.join(late), end)
          })
        )
        assert.isFalse(yield* works(`late ${end}`))
      }
    })
  )
})
