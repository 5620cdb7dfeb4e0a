import { Connector } from "@portico/upstream/delivery/Connector"
import { Guard } from "@portico/upstream/delivery/Guard"
import { Mail } from "@portico/upstream/mail/Mail"
import { Effect, Layer } from "effect"
import { MailLimits } from "../MailLimits.ts"
import { DeliveryCounts } from "./DeliveryCounts.ts"
import { DeliverySettings } from "./DeliverySettings.ts"
import { Senders } from "./Senders.ts"
import { TargetSecrets } from "./TargetSecrets.ts"
import { chatSender, genericSender } from "./senders/endpoint.ts"
import { emailSender } from "./senders/mail.ts"
import { webhookSender } from "./senders/webhook.ts"

/** The senders of every kind of target. */
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

/** The senders, and the services that the routes about targets need. */
export const layer = allSenders.pipe(
  Layer.provideMerge(Layer.mergeAll(Connector.layer, Mail.layer, MailLimits.layer)),
  Layer.provideMerge(Layer.mergeAll(Guard.layer, TargetSecrets.layer, DeliverySettings.layer, DeliveryCounts.layer))
)
