import { Connector } from "@portico/upstream/delivery/Connector"
import { Guard } from "@portico/upstream/delivery/Guard"
import { Mail } from "@portico/upstream/mail/Mail"
import { Layer } from "effect"
import { MailLimits } from "../integrations/MailLimits.ts"
import { allSenders } from "./allSenders.ts"
import { DeliveryCounts } from "./DeliveryCounts.ts"
import { DeliverySettings } from "./DeliverySettings.ts"
import { TargetSecrets } from "./TargetSecrets.ts"

/** What sends to targets, and what the routes about them need of it. */
export const layer = allSenders.pipe(
  Layer.provideMerge(Layer.mergeAll(Connector.layer, Mail.layer, MailLimits.layer)),
  Layer.provideMerge(Layer.mergeAll(Guard.layer, TargetSecrets.layer, DeliverySettings.layer, DeliveryCounts.layer))
)
