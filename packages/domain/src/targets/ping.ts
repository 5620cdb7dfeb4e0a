import { type Event, webhookTopic } from "@portico/contract/Events"
import type { TargetTest } from "@portico/contract/Targets"
import { Deliveries } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { messageOf } from "../deliveries/message.ts"
import { trySending } from "../deliveries/serve.ts"

/**
 * Sends a ping now, once, also to a disabled target. It is not an event of the log, and does not
 * count as a success or a failure of the target. It is in the list of the target's deliveries.
 */
export const sendPing = Effect.fnUntraced(function* (target: TargetEntry, ping: Pick<Event, "kind" | "data">) {
  const id = randomUUID()
  const at = DateTime.formatIso(yield* DateTime.now)
  const message = messageOf({
    ...ping,
    id,
    at,
    topic: webhookTopic,
    key: target.target_id,
    project_id: target.project_id
  })
  if (message === undefined) return yield* Effect.die("a ping is no event")
  const { attempt } = yield* trySending(target, message)
  const { duration_ms, error, status } = attempt
  const { target_id } = target
  const delivery = { target_id, event_id: id, topic: webhookTopic, kind: ping.kind, again: false }
  yield* (yield* Deliveries).addSent(delivery, attempt)
  return { event_id: id, delivered: error === null, status, duration_ms, error } satisfies TargetTest
})
