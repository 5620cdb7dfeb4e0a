import { headersOf } from "@portico/contract/webhookDelivery"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Clock, Effect } from "effect"
import { answered, NotSent, type Sender } from "../Senders.ts"
import { webhookUrlOf } from "../settings.ts"
import { TargetSecrets } from "../TargetSecrets.ts"

/** Posts the envelope unchanged, signed with every secret that has not ended (Standard Webhooks). */
export const webhookSender = Effect.gen(function* () {
  const connector = yield* Connector
  const secrets = yield* TargetSecrets

  return {
    send: Effect.fn("webhooks.send")(function* (target, { body, id }) {
      const url = yield* webhookUrlOf(target)
      const opened = yield* secrets.open(target)
      if (opened.length === 0) {
        return yield* new NotSent({ status: null, why: "its secret cannot be read: rotate it", gone: false })
      }
      const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const headers = yield* Effect.promise(() => headersOf({ id, timestamp, body }, opened))
      return yield* answered(connector.post(url, { headers, body }))
    })
  } satisfies Sender
})
