import { Effect, Predicate } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { IncomingMessage, ServerResponse } from "node:http"
import { Server } from "node:net"

/** A request whose head reached the gateway, what goes back, and who took it. */
export interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: Server
}

const channel = "http.server.request.start"

/** The requests to the platform proxy from now on, in the order of arrival, as Node tells of them. */
export const arrivals = Effect.acquireRelease(
  Effect.sync(() => {
    const seen: Array<Arrival> = []
    const notice = (message: unknown) => {
      if (!Predicate.isObject(message)) return
      const { request, response, server } = message
      if (!(request instanceof IncomingMessage && response instanceof ServerResponse && server instanceof Server))
        return
      if (request.url?.startsWith("/v1/iaas/") === true) seen.push({ request, response, server })
    }
    subscribe(channel, notice)
    return { seen, notice }
  }),
  ({ notice }) => Effect.sync(() => void unsubscribe(channel, notice))
).pipe(Effect.map(({ seen }): ReadonlyArray<Arrival> => seen))
