import { assert } from "@effect/vitest"
import { AuditEvent, auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Effect, Schema } from "effect"
import type { Answer } from "../harness/http.ts"
import { until } from "@portico/testing/clock"

/** A closed schema: an envelope with anything else in it is no event. */
const decode = Schema.decodeUnknownEffect(AuditEvent, { onExcessProperty: "error" })

/** The newest records, the newest first. */
export const newestRecords = Effect.gen(function* () {
  const reading = { topics: [auditTopic], projectId: undefined, order: "desc", after: undefined, limit: 30 } as const
  const rows = yield* (yield* EventLog).read(reading)
  return yield* Effect.forEach(rows, (_) => Effect.orDie(decode(_.envelope)))
})

/** The one record of the call with this request id, once it is there. */
export const recordWith = Effect.fnUntraced(function* (requestId: string | undefined) {
  assert.match(requestId ?? "", /^[0-9a-f]{32}$/)
  const own = Effect.map(newestRecords, (all) => all.filter((_) => _.data.request_id === requestId))
  yield* until(Effect.map(own, (_) => _.length > 0))
  const [event, ...more] = yield* own
  assert.lengthOf(more, 0)
  return yield* Effect.orDie(Effect.fromNullishOr(event))
})

/** The one record of the call that was answered so. */
export const recordOf = (answer: Answer) => recordWith(answer.headers["x-request-id"])
