import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { type Concluded, Deliveries } from "../src/Deliveries.ts"
import { type TargetKind, Targets } from "../src/Targets.ts"
import { pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const made = (project_id: string, kind: TargetKind) =>
  Effect.flatMap(Targets, (_) =>
    _.insert({
      target_id: randomUUID(),
      project_id,
      kind,
      name: null,
      settings: {},
      secrets: [],
      topics: [],
      kinds: [],
      from_sequence: 0,
      state: "active",
      created_by: "user",
      of_agent: false
    })
  )

const concluded = (state: Concluded["state"]): Concluded => ({
  attempt: undefined,
  state,
  given_up: null,
  pause: Duration.zero,
  rests: false,
  failures_in_a_row: 0,
  failing_since: null
})

/** An event goes to the target, and comes to this end. */
const sent = Effect.fnUntraced(function* (target_id: string, state: Concluded["state"]) {
  const deliveries = yield* Deliveries
  yield* deliveries.add([{ target_id, event_id: randomUUID(), topic: "alarms", kind: "k", again: false }])
  const target = yield* present(
    Effect.map(deliveries.claim("sound", 100), (_) => _.find((claimed) => claimed.target_id === target_id))
  )
  const { delivery } = yield* present(deliveries.next(target))
  yield* deliveries.conclude(target, delivery, concluded(state))
  yield* deliveries.release(target)
})

storiesOf("Mailed deliveries", (story) => {
  story(
    "counts a tenant's arrived mails, of its e-mail integrations alone, since a given time",
    Effect.fnUntraced(function* () {
      const { mailed } = yield* Deliveries
      const [acme, globex] = [randomUUID(), randomUUID()]
      const count = (projectId: string) =>
        Effect.flatMap(DateTime.now, (_) => mailed(projectId, DateTime.subtractDuration(_, "1 hour")))
      const [one, two] = [yield* made(acme, "email"), yield* made(acme, "email")]
      for (const { target_id } of [one, two, yield* made(acme, "slack"), yield* made(globex, "email")]) {
        yield* sent(target_id, "delivered")
      }
      yield* sent(one.target_id, "failed")
      assert.strictEqual(yield* count(acme), 2)
      yield* (yield* Targets).remove(acme, one.target_id)
      assert.strictEqual(yield* count(acme), 2, "an integration that is gone")
      assert.strictEqual(yield* count(globex), 1)
      assert.strictEqual(yield* count(randomUUID()), 0)
      yield* pass("61 minutes")
      assert.strictEqual(yield* count(acme), 0)
      yield* sent(two.target_id, "delivered")
      assert.strictEqual(yield* count(acme), 1)
    })
  )
})
