import type { Event } from "@portico/contract/Events"
import type { Letter } from "@portico/upstream/mail/Mail"
import { describe } from "./describe.ts"

/** The recipients of a mail, with the integration's id and the tenant's name for it. */
export interface Addressee {
  readonly integration_id: string
  readonly name: string
  readonly to: ReadonlyArray<string>
}

/**
 * An event as a mail.
 *
 * @param deliveryId the delivery's id: a repetition has the same Message-ID
 * @param last whether this mail uses up the tenant's allowance
 */
export const eventLetter = (deliveryId: string, event: Event, addressee: Addressee, last: boolean): Letter => {
  const { facts, title } = describe(event)
  return {
    id: deliveryId,
    to: addressee.to,
    subject: title,
    text: paragraphs([
      [title],
      facts.map(([name, value]) => `${name}: ${value}`),
      [`Event:  ${event.id}`, `Kind:   ${event.kind}`, `Time:   ${event.at}`],
      last
        ? [
            "No more events are sent by mail until an hour has passed since the oldest mail of the hour:",
            "the organisation's allowance is used up. GET /v1/events lists what is left out."
          ]
        : [],
      [
        "--",
        `Sent by the integration ${addressee.integration_id}. Whoever manages your organisation's cloud can change it,`,
        `or remove it: DELETE /v1/integrations/${addressee.integration_id}`
      ]
    ])
  }
}

/**
 * A mail that asks an address for consent. It contains nothing that the requesting client wrote;
 * otherwise anyone could use it to send arbitrary text.
 *
 * @param id the mail's id
 */
export const confirmationLetter = (id: string, integrationId: string, address: string, code: string): Letter => ({
  id,
  to: [address],
  subject: "Confirm this address for notifications",
  text: paragraphs([
    [
      "Somebody who uses this cloud wants its notifications sent to this address.",
      "Nothing is sent before it is confirmed."
    ],
    ["If that is you, or is fine with you, pass this code on to whoever asked for it. It is valid for 24 hours:"],
    [`  ${code}`],
    [`It is confirmed by POST /v1/integrations/${integrationId}/confirm with {"code": "${code}"}.`],
    ["If you know nothing of it, do nothing."]
  ])
})

const paragraphs = (all: ReadonlyArray<ReadonlyArray<string>>): string =>
  `${all
    .filter((_) => _.length > 0)
    .map((_) => _.join("\n"))
    .join("\n\n")}\n`
