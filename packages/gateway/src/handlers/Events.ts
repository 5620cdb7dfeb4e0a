import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Events } from "@portico/contract/EventRoutes"
import { readEvents } from "@portico/domain/events/readEvents"
import { watchEvents } from "@portico/domain/events/watchEvents"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { eventStream } from "../events/eventStream.ts"
import { callerByNow } from "../middleware/access.ts"

/** On the operator plane only, an administrator reads the events of all tenants. */
export const EventsHandlers = (plane: Plane) =>
  HttpApiBuilder.group(apiOf(Events), "events", (handlers) =>
    handlers.handleAll(
      exact(handlers, {
        list: ({ query }) => Effect.flatMap(CurrentCaller, (_) => readEvents(_, plane, query)),
        tail: ({ endpoint, headers, query, request }) =>
          CurrentCaller.pipe(
            Effect.flatMap((caller) =>
              // `Last-Event-ID` is newer than the cursor in the address.
              watchEvents(
                caller,
                plane,
                { ...query, cursor: headers["last-event-id"] ?? query.cursor },
                callerByNow(caller, request, endpoint, plane)
              )
            ),
            Effect.flatMap((_) => eventStream(_))
          )
      })
    )
  )
