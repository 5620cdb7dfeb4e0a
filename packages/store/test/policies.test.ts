import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { OrganisationUnits } from "../src/OrganisationUnits.ts"
import { type NewPolicy, Policies } from "../src/Policies.ts"
import { pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const policy = (ou: string, change: Partial<NewPolicy> = {}): NewPolicy => ({
  project_id: "project-1",
  ou,
  max_tier: null,
  denies: [],
  updated_by: "owner",
  ...change
})

const first = { limit: 100, after: undefined }

/** Leaves of a tree, of labels that begin with each other. */
const leaf = fc.array(fc.constantFrom("a", "ab", "a-b", "b", "0"), { minLength: 1, maxLength: 8 })
const trees = fc.sample(
  fc.array(
    leaf.map((_) => _.join(".")),
    { minLength: 1, maxLength: 3 }
  ),
  { numRuns: 5, seed: 7 }
)

/** `a`, `a.b`, `a.b.c` and `d`, in both projects. */
const units = Effect.gen(function* () {
  const units = yield* OrganisationUnits
  for (const project_id of ["project-1", "project-2"]) {
    for (const path of ["a", "a.b", "a.b.c", "d"]) yield* units.insert({ project_id, path, created_by: "owner" })
  }
  return yield* Policies
})

storiesOf("Policies", (story) => {
  story(
    "a policy is replaced whole, and keeps its age",
    Effect.fnUntraced(function* () {
      const policies = yield* units
      const one = yield* present(policies.put(policy("a", { max_tier: 1, denies: ["compute:destroy", "dns"] })))
      assert.deepInclude(one, { ou: "a", max_tier: 1, denies: ["compute:destroy", "dns"], updated_by: "owner" })
      yield* pass("1 hour")

      const two = yield* present(policies.put(policy("a", { denies: ["image"], updated_by: "admin" })))

      assert.deepInclude(two, { id: one.id, max_tier: null, denies: ["image"], updated_by: "admin" })
      assert.isAtLeast(two.updated_at.epochMilliseconds - two.created_at.epochMilliseconds, 3_500_000)
      assert.strictEqual((yield* policies.list("project-1", first)).count, 1)
    })
  )

  story(
    "a policy needs its unit, except for the whole account's",
    Effect.fnUntraced(function* () {
      const policies = yield* units
      assert.isUndefined(yield* policies.put(policy("x")))
      assert.isUndefined(yield* policies.put(policy("a.b.c.d")))
      assert.isDefined(yield* policies.put(policy("", { project_id: "project-9" })))
      assert.isUndefined(yield* policies.put(policy("a", { project_id: "project-9" })))
    })
  )

  story(
    "the policies that apply in a unit are those of its ancestors, from the account down",
    Effect.fnUntraced(function* () {
      const policies = yield* units
      for (const ou of ["a.b.c", "", "d", "a"]) yield* policies.put(policy(ou, { denies: [`dns:${ou}`] }))
      yield* policies.put(policy("a.b", { project_id: "project-2" }))

      const along = (ou: string, project = "project-1") =>
        Effect.map(policies.along(project, ou), (rows) => rows.map((_) => _.ou))
      assert.deepStrictEqual(yield* along("a.b.c"), ["", "a", "a.b.c"])
      assert.deepStrictEqual(yield* along("a.b"), ["", "a"])
      assert.deepStrictEqual(yield* along("d"), ["", "d"])
      assert.deepStrictEqual(yield* along(""), [""])
      assert.deepStrictEqual(yield* along("a.b.c", "project-2"), ["a.b"])
      assert.deepStrictEqual(yield* along("a", "project-9"), [])
    })
  )

  story(
    "the policies that apply in a unit equal a filter of all, in any tree",
    Effect.fnUntraced(function* () {
      const policies = yield* Policies
      const units = yield* OrganisationUnits
      for (const [n, leaves] of trees.entries()) {
        const project_id = `tree-${n}`
        const paths = new Set(leaves.flatMap((_) => _.split(".").map((_, i, all) => all.slice(0, i + 1).join("."))))
        for (const path of paths) yield* units.insert({ project_id, path, created_by: "owner" })
        for (const ou of [...paths, ""].filter((_, i) => (i + n) % 3 > 0))
          yield* policies.put(policy(ou, { project_id }))
        const all = (yield* policies.list(project_id, first)).rows
        for (const path of paths) {
          const wanted = all.map((_) => _.ou).filter((ou) => ou === "" || ou === path || path.startsWith(`${ou}.`))
          assert.deepStrictEqual(
            (yield* policies.along(project_id, path)).map((_) => _.ou),
            wanted.toSorted((a, b) => a.length - b.length),
            `${path} of ${[...paths].join(", ")}`
          )
        }
      }
    })
  )

  story(
    "a removed policy is deleted, and that of another project stays",
    Effect.fnUntraced(function* () {
      const policies = yield* units
      yield* policies.put(policy("a", { max_tier: 0 }))
      yield* policies.put(policy("a", { project_id: "project-2" }))

      assert.deepInclude(yield* policies.remove("project-1", "a"), { ou: "a", max_tier: 0 })
      assert.isUndefined(yield* policies.remove("project-1", "a"))
      assert.isUndefined(yield* policies.remove("project-1", "a\0"))
      assert.strictEqual((yield* policies.list("project-2", first)).count, 1)
    })
  )

  story(
    "of two policies that are put at once, one is stored whole",
    Effect.fnUntraced(function* () {
      const policies = yield* units
      yield* Effect.all(
        Array.from({ length: 8 }, (_, n) =>
          policies.put(policy("a", { max_tier: n % 2 === 0 ? 0 : 1, denies: [`d${n}`] }))
        ),
        { concurrency: "unbounded" }
      )
      const [row, ...more] = yield* policies.along("project-1", "a")
      assert.deepStrictEqual(more, [])
      assert.strictEqual(row?.max_tier, Number(row?.denies[0]?.slice(1)) % 2 === 0 ? 0 : 1)
    })
  )

  story(
    "pages have every policy once, the oldest first",
    Effect.fnUntraced(function* () {
      const policies = yield* units
      for (const ou of ["d", "", "a.b", "a"]) {
        yield* policies.put(policy(ou))
        yield* pass("1 second")
      }
      const page = yield* policies.list("project-1", { limit: 3, after: undefined })
      assert.strictEqual(page.count, 4)
      assert.deepStrictEqual(
        page.rows.map((_) => _.ou),
        ["d", "", "a.b", "a"]
      )
      const [, , third] = page.rows
      assert.isDefined(third)
      const next = yield* policies.list("project-1", {
        limit: 3,
        after: { at: third.created_at.epochMilliseconds, id: third.id }
      })
      assert.deepStrictEqual(
        next.rows.map((_) => _.ou),
        ["a"]
      )
    })
  )
})
