import { eventCursorOf } from "@portico/contract/EventRoutes"
import { Effect } from "effect"
import type { Success } from "../routes/Success.ts"

const at = (path: string): Success["prepare"] => Effect.succeed({ path })

/** The rows of the matrix for events. */
export const eventSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/events": {
    status: 200,
    prepare: at("/v1/events?limit=2&topic=iam.credentials&topic=alarms&kind=credential.created")
  },
  // What is there is sent, and the stream ends.
  "GET /v1/events/tail": {
    status: 200,
    prepare: at(`/v1/events/tail?timeout_seconds=0&cursor=${eventCursorOf(0)}`)
  }
}
