import type { NotPosted } from "@portico/upstream/delivery/Connector"
import { Effect } from "effect"
import { NotSent, type Sent } from "./Senders.ts"

/** What an answer's status means: 2xx is an arrival, and nothing else is; a redirect is not followed. */
export const answered = <R>(status: Effect.Effect<number, NotPosted, R>): Effect.Effect<Sent, NotSent, R> =>
  Effect.matchEffect(status, {
    onFailure: ({ why }) => new NotSent({ status: null, why, gone: false }),
    onSuccess: (status) =>
      status >= 200 && status < 300
        ? Effect.succeed({ status })
        : new NotSent({ status, why: `it answered ${status}`, gone: status === 410 })
  })
