import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pass } from "@portico/testing/store/Aging"
import { AgentAreas } from "../src/AgentAreas.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

storiesOf("Areas of agents", (story) => {
  story(
    "a user's choice replaces the previous one, apart from other users'",
    Effect.fnUntraced(function* () {
      const areas = yield* AgentAreas
      assert.deepStrictEqual(yield* areas.of("one"), [])
      yield* areas.put("one", ["dns", "edge"])
      yield* areas.put("two", ["alarms"])
      yield* areas.put("one", ["dns"])
      assert.deepStrictEqual(yield* areas.of("one"), ["dns"])
      assert.deepStrictEqual(yield* areas.of("two"), ["alarms"])
      yield* areas.put("one", [])
      assert.deepStrictEqual(yield* areas.of("one"), [])
    })
  )

  story(
    "a choice expires 30 days after its last change",
    Effect.fnUntraced(function* () {
      const areas = yield* AgentAreas
      yield* areas.put("one", ["dns"])
      yield* pass("29 days")
      assert.deepStrictEqual(yield* areas.of("one"), ["dns"])
      yield* pass("2 days")
      assert.deepStrictEqual(yield* areas.of("one"), [])
      yield* areas.put("two", ["edge"])
      assert.deepStrictEqual(yield* areas.of("two"), ["edge"])
      yield* pass("29 days")
      yield* areas.put("two", ["edge"])
      yield* pass("29 days")
      assert.deepStrictEqual(yield* areas.of("two"), ["edge"])
    })
  )
})

postgresStoriesOf("Areas of agents on PostgreSQL", (story) => {
  story(
    "an expired choice is deleted by the next choice of any user",
    Effect.fnUntraced(function* () {
      const areas = yield* AgentAreas
      const sql = yield* SqlClient.SqlClient
      yield* areas.put("one", ["dns"])
      yield* pass("31 days")
      yield* areas.put("two", ["edge"])
      assert.deepStrictEqual(yield* sql`SELECT user_id FROM agent_areas`, [{ user_id: "two" }])
    })
  )
})
