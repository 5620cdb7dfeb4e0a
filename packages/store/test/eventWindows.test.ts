import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { EventLog } from "../src/EventLog.ts"
import { storiesOf } from "./stories.ts"

/** Appends an event that happened so many seconds after the epoch, and says where it is. */
const append = Effect.fnUntraced(function* (seconds: number, topic = "api.audit") {
  const log = yield* EventLog
  const at = DateTime.makeUnsafe(seconds * 1000)
  yield* log.append([{ id: randomUUID(), topic, key: "k", at, envelope: {} }])
  return yield* log.newest([topic])
})

const windowOf = Effect.fnUntraced(function* (from: number | undefined, to: number | undefined) {
  const moment = (_: number | undefined) => (_ === undefined ? undefined : DateTime.makeUnsafe(_ * 1000))
  return yield* (yield* EventLog).window("api.audit", { from: moment(from), to: moment(to) })
})

storiesOf("Windows of the event log", (story) => {
  story(
    "an empty log has no window",
    Effect.fnUntraced(function* () {
      yield* append(5, "alarms")
      assert.deepStrictEqual(yield* windowOf(1, 9), { newest: 0, above: 0, below: undefined })
      assert.deepStrictEqual(yield* windowOf(undefined, undefined), { newest: 0, above: 0, below: undefined })
    })
  )

  story(
    "a time range lies between the last event before it and the first after it, in any order",
    Effect.fnUntraced(function* () {
      const ten = yield* append(10)
      const thirty = yield* append(30)
      const twenty = yield* append(20)
      yield* append(25, "alarms")
      const forty = yield* append(40)

      assert.deepStrictEqual(yield* windowOf(undefined, undefined), { newest: forty, above: 0, below: undefined })
      assert.deepStrictEqual(yield* windowOf(10, 41), { newest: forty, above: 0, below: undefined })
      assert.deepStrictEqual(yield* windowOf(11, 40), { newest: forty, above: ten, below: forty })
      assert.deepStrictEqual(yield* windowOf(21, 21), { newest: forty, above: twenty, below: thirty })
      assert.deepStrictEqual(yield* windowOf(26, 25), { newest: forty, above: twenty, below: thirty })
      assert.deepStrictEqual(yield* windowOf(31, 0), { newest: forty, above: thirty, below: ten })
    })
  )
})
