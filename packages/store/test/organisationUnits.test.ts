import { assert } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import { Credentials, projectMeant } from "../src/Credentials.ts"
import { OrganisationUnits } from "../src/OrganisationUnits.ts"
import { Policies } from "../src/Policies.ts"
import { Rotations } from "../src/Rotations.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential, successor } from "./credential.ts"
import { replica } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const project = "project-1"
const first = { limit: 100, after: undefined }

/** Units of the project, made in this order. */
const made = Effect.fnUntraced(function* (...paths: ReadonlyArray<string>) {
  const units = yield* OrganisationUnits
  for (const path of paths) {
    const row = yield* units.insert({ project_id: project, path, created_by: "owner" })
    assert.isObject(row, `${path}: ${String(row)}`)
  }
  return units
})

const pathsOf = Effect.fnUntraced(function* (projectId: string) {
  return (yield* (yield* OrganisationUnits).list(projectId, first)).rows.map((_) => _.path)
})

storiesOf("Organisation units", (story) => {
  story(
    "a unit's path has its ancestors, and needs its parent",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering", "engineering.backend", "engineering.backend.ci", "sales")

      const { count, rows } = yield* units.list(project, first)
      assert.strictEqual(count, 4)
      assert.sameDeepMembers(
        rows.map(({ created_by, parent, path }) => [path, parent, created_by]),
        [
          ["engineering", null, "owner"],
          ["engineering.backend", "engineering", "owner"],
          ["engineering.backend.ci", "engineering.backend", "owner"],
          ["sales", null, "owner"]
        ]
      )
      const insert = (path: string, project_id = project) => units.insert({ project_id, path, created_by: "owner" })
      assert.strictEqual(yield* insert("engineering.frontend.ci"), "orphan")
      assert.strictEqual(yield* insert("engineering.backend"), "taken")
      assert.strictEqual(yield* insert("engineering.frontend", "project-2"), "orphan", "another project's is no parent")
      assert.isObject(yield* insert("engineering", "project-2"))
      assert.isTrue(yield* units.exists(project, "sales"))
      assert.isFalse(yield* units.exists("project-2", "sales"))
      assert.isFalse(yield* units.exists(project, "sa\0les"))
    })
  )

  story(
    "a credential that is placed or removed during its rotation takes its successor along",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering", "sales")
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      yield* credentials.insert(credential("old", { project_id: project }))
      assert.isObject(yield* rotations.begin(successor("new", "old", { project_id: project })))
      const unitOf = (id: string) => Effect.map(credentials.find(id), (_) => _?.ou)
      const unitsNow = Effect.all([unitOf("old"), unitOf("new")])

      assert.isObject(yield* units.place(project, "old", "engineering"))
      assert.deepStrictEqual(yield* unitsNow, ["engineering", "engineering"])
      assert.isObject(yield* units.takeOut(project, "old", "engineering"))
      assert.deepStrictEqual(yield* unitsNow, [null, null])
      assert.isObject(yield* units.place(project, "old", "sales"))
      assert.isObject(yield* rotations.complete("new", "pat-new", Duration.hours(1)))
      assert.deepStrictEqual(yield* unitsNow, ["sales", "sales"])
      // During the overlap both credentials work.
      assert.isObject(yield* units.place(project, "new", "engineering"))
      assert.deepStrictEqual(yield* unitsNow, ["engineering", "engineering"])
    })
  )

  story(
    "of units that are created at once with one path, one is created",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering")
      const insert = units.insert({ project_id: project, path: "engineering.backend", created_by: "owner" })
      const rows = yield* Effect.all(
        Array.from({ length: 8 }, () => insert),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        rows.filter((_) => _ === "taken"),
        7
      )
      assert.strictEqual((yield* units.list(project, first)).count, 2)
    })
  )

  story(
    "pages have every unit once, the oldest first, also of the longest paths",
    Effect.fnUntraced(function* () {
      const label = "x".repeat(63)
      const longest = Array.from({ length: 8 }, (_, depth) => Array.from({ length: depth + 1 }, () => label).join("."))
      for (const path of longest) {
        yield* made(path)
        yield* pass("1 second")
      }
      const units = yield* made("a", "b", "c")
      const all: Array<string> = []
      let after: { at: number; id: string } | undefined
      for (let page = 0; page < 6; page++) {
        const { count, rows } = yield* units.list(project, { limit: 2, after })
        assert.strictEqual(count, 11)
        const shown = rows.slice(0, 2)
        all.push(...shown.map((_) => _.path))
        const last = shown.at(-1)
        after = last && { at: last.created_at.epochMilliseconds, id: last.id }
        assert.lengthOf(rows, page < 5 ? 3 : 1)
      }
      assert.deepStrictEqual(all.slice(0, 8), longest)
      assert.sameMembers(all.slice(8), ["a", "b", "c"])
    })
  )

  story(
    "a unit is removed only when it has no children, credentials or policies",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering", "engineering.backend", "sales")
      const credentials = yield* Credentials
      const policies = yield* Policies
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("2"))
      yield* units.place(project, "1", "engineering")
      yield* units.place(project, "2", "engineering")
      yield* policies.put({ project_id: project, ou: "engineering", max_tier: 1, denies: [], updated_by: "owner" })
      const remove = units.remove(project, "engineering")

      assert.deepStrictEqual<unknown>(yield* remove, { units: 1, members: 2, policy: true })
      yield* units.remove(project, "engineering.backend")
      assert.deepStrictEqual<unknown>(yield* remove, { units: 0, members: 2, policy: true })
      yield* units.takeOut(project, "1", "engineering")
      assert.deepStrictEqual<unknown>(yield* remove, { units: 0, members: 1, policy: true })
      yield* credentials.revoke("2")
      assert.deepStrictEqual<unknown>(yield* remove, { units: 0, members: 0, policy: true })
      yield* policies.remove(project, "engineering")
      assert.deepInclude(yield* remove, { path: "engineering" })
      assert.isUndefined(yield* remove)
      assert.deepStrictEqual(yield* pathsOf(project), ["sales"])
    })
  )

  story(
    "a placement that races with a removal ends in an existing unit or in none",
    Effect.fnUntraced(function* () {
      const units = yield* OrganisationUnits
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1"))
      for (let turn = 0; turn < 8; turn++) {
        yield* made("engineering")
        yield* Effect.all([units.remove(project, "engineering"), units.place(project, "1", "engineering")], {
          concurrency: "unbounded"
        })
        const { ou } = yield* present(credentials.find("1"))
        assert.strictEqual(yield* units.exists(project, "engineering"), ou === "engineering")
        yield* units.takeOut(project, "1", "engineering")
        yield* units.remove(project, "engineering")
      }
    })
  )

  story(
    "a credential is placed by its id and a member by the user's, live ones of the project alone",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering", "sales")
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("2", { kind: "member", user_id: "ada" }))
      yield* credentials.insert(credential("3", { project_id: "project-2" }))
      yield* credentials.insert(credential("4", { state: "minting" }))
      yield* credentials.insert(credential("5"))
      yield* credentials.revoke("5")

      assert.deepInclude(yield* units.place(project, "1", "engineering"), { credential_id: "1", ou: "engineering" })
      assert.deepInclude(yield* units.place(project, "ada", "engineering"), { credential_id: "2", ou: "engineering" })
      for (const id of ["2", "user-1", "3", "4", "5", "nobody", "1\0"]) {
        assert.isUndefined(yield* units.place(project, id, "engineering"), id)
        assert.isUndefined(yield* units.member(project, id), id)
      }
      assert.strictEqual(yield* units.place(project, "1", "marketing"), "no unit")
      assert.deepInclude(yield* units.member(project, "ada"), { credential_id: "2" })

      assert.deepInclude(yield* units.place(project, "1", "sales"), { ou: "sales" })
      assert.isUndefined(yield* units.takeOut(project, "1", "engineering"), "it is in another one")
      assert.deepInclude(yield* units.takeOut(project, "1", "sales"), { ou: null })
      assert.isUndefined(yield* units.takeOut(project, "1", "sales"))
    })
  )

  story(
    "a listener is notified whose unit changed, and whose account's policy did",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering")
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1"))
      const changes = yield* credentials.changes
      yield* units.place(project, "1", "engineering")
      yield* units.place(project, "9", "engineering")
      yield* units.takeOut(project, "1", "engineering")
      yield* (yield* Policies).put({ project_id: project, ou: "", max_tier: 0, denies: [], updated_by: "owner" })
      yield* (yield* Policies).remove(project, "")

      const heard = yield* Stream.runCollect(Stream.take(changes, 4))
      assert.deepStrictEqual(
        heard.map((_) => projectMeant(_) ?? _),
        ["user-1", "user-1", project, project]
      )
      assert.isUndefined(projectMeant("user-1"))
    })
  )

  story(
    "a removed project leaves no units and no policies",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering", "engineering.backend")
      const policies = yield* Policies
      yield* policies.put({ project_id: project, ou: "engineering", max_tier: 1, denies: [], updated_by: "owner" })
      yield* units.insert({ project_id: "project-2", path: "sales", created_by: "owner" })

      yield* units.removeAll(project)

      assert.deepStrictEqual(yield* pathsOf(project), [])
      assert.strictEqual((yield* policies.list(project, first)).count, 0)
      assert.deepStrictEqual(yield* pathsOf("project-2"), ["sales"])
    })
  )
})

postgresStoriesOf("Replicas on one PostgreSQL", (story) => {
  story(
    "are notified of committed policies and placements, and read the new ones",
    Effect.fnUntraced(function* () {
      const units = yield* made("engineering")
      const policies = yield* Policies
      yield* (yield* Credentials).insert(credential("1"))
      const other = yield* replica
      const changes = yield* Effect.flatMap(Credentials, (_) => _.changes).pipe(Effect.provide(other))

      yield* policies.put({ project_id: project, ou: "nowhere", max_tier: 0, denies: [], updated_by: "owner" })
      yield* policies.put({ project_id: project, ou: "engineering", max_tier: 0, denies: [], updated_by: "owner" })
      yield* units.place(project, "1", "engineering")

      const heard = yield* changes.pipe(
        Stream.take(2),
        Stream.mapEffect((change) =>
          Effect.gen(function* () {
            const along = yield* (yield* Policies).along(project, "engineering")
            return [projectMeant(change) ?? change, along.map((_) => _.max_tier)] as const
          }).pipe(Effect.provide(other))
        ),
        Stream.runCollect
      )
      assert.deepStrictEqual(heard, [
        [project, [0]],
        ["user-1", [0]]
      ])
    })
  )
})
