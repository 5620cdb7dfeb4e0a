import { Effect, Layer } from "effect"
import { chatSender, emailSender, genericSender } from "../integrations/senders.ts"
import { webhookSender } from "../webhooks/sender.ts"
import { Senders } from "./Senders.ts"

/** Every kind of target that events can be sent to. */
export const allSenders = Layer.effect(
  Senders,
  Effect.gen(function* () {
    return Senders.over({
      webhook: yield* webhookSender,
      email: yield* emailSender,
      slack: yield* chatSender,
      generic: yield* genericSender
    })
  })
)
