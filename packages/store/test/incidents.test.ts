import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Incidents, maxNotices } from "../src/Incidents.ts"
import { storiesOf } from "./stories.ts"

const day = (number: number) => DateTime.makeUnsafe(Date.UTC(2026, 0, number))

/** A notice that begins on that day of January, and ends on another one or not at all. */
const notice = (incident_id: string, begins: number, ends: number | null = null) => ({
  incident_id,
  kind: "incident" as const,
  title: incident_id,
  services: [],
  severity: "minor" as const,
  message: "",
  starts_at: day(begins),
  ends_at: ends === null ? null : day(ends),
  created_by: "operator"
})

const listed = (at: number) =>
  Effect.flatMap(Incidents, ({ list }) => Effect.map(list(day(at)), (all) => all.map((_) => _.incident_id)))

storiesOf("Incidents", (story) => {
  story(
    "those that have not ended are listed, the newest first, until they are removed",
    Effect.fnUntraced(function* () {
      const { insert, remove } = yield* Incidents
      for (const _ of [notice("b", 2), notice("a", 2), notice("over", 1, 10), notice("planned", 20, 21)])
        yield* insert(_)
      assert.deepStrictEqual(yield* listed(9), ["planned", "a", "b", "over"])
      assert.deepStrictEqual(yield* listed(10), ["planned", "a", "b"])
      assert.strictEqual((yield* remove("a"))?.incident_id, "a")
      assert.isUndefined(yield* remove("a"))
      assert.deepStrictEqual(yield* listed(10), ["planned", "b"])
    })
  )

  story(
    "the newest of many are listed",
    Effect.fnUntraced(function* () {
      const { insert } = yield* Incidents
      for (let begins = 1; begins <= maxNotices + 2; begins++) yield* insert(notice(`from-${begins}`, begins))
      const all = yield* listed(500)
      assert.lengthOf(all, maxNotices)
      assert.deepStrictEqual([all[0], all.at(-1)], [`from-${maxNotices + 2}`, "from-3"])
    })
  )
})
