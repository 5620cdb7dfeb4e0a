import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { DeliveryAddress } from "./DeliveryAddress.ts"
import { described, meanings, titled } from "./describe.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { Event, webhookTopic } from "./Events.ts"
import { ceilingCodes, failures } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { overlapSeconds, subscription, switched, targetEndpoints, targetFields } from "./Targets.ts"
import { line } from "./Text.ts"

export const IntegrationKind = meanings("Where the integration sends events. It does not change.", {
  email: "Mail to up to ten addresses, each of which has to be confirmed first.",
  slack: "A message in a channel, through an incoming webhook of Slack, Mattermost or Rocket.Chat.",
  generic: "The event as JSON to any address, with headers that authenticate the sender, and without a signature."
})
export type IntegrationKind = typeof IntegrationKind.Type

const Name = line(200)

const Recipients = Schema.Array(EmailAddress).check(Schema.isMinLength(1), Schema.isMaxLength(10), Schema.isUnique())

/** Headers that describe the body, its destination and its transfer. */
const reserved =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|user-agent|content-.*|proxy-.*|webhook-.*)$/i

export const SecretHeader = Schema.Struct({
  name: Schema.String.check(
    Schema.makeFilter((text: string) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(text) && !reserved.test(text), {
      expected: "the name of a header that the gateway does not set itself"
    })
  ).annotateKey({
    description:
      "The name of the header, 1 to 100 characters, such as `Authorization`. Headers that describe the body or the connection, and `webhook-` headers, are refused."
  }),
  value: Schema.String.check(
    Schema.isMaxLength(2048),
    Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, { expected: "printable ASCII" })
  ).annotateKey({
    description:
      "The value of the header, 1 to 2048 printable ASCII characters. It is stored encrypted and never shown."
  })
}).annotate({ identifier: "SecretHeader", description: "A header that each request to the address has." })
export type SecretHeader = typeof SecretHeader.Type

const differs = (headers: ReadonlyArray<SecretHeader>): boolean =>
  new Set(headers.map((_) => _.name.toLowerCase())).size === headers.length

const Headers = Schema.Array(SecretHeader).check(
  Schema.isMaxLength(10),
  Schema.makeFilter(differs, { expected: "headers of different names" })
)

const name = { description: "The tenant's own name of the integration: one line of 1 to 200 characters." }

const places = {
  to: Schema.optionalKey(Recipients).annotateKey({
    description:
      "Only of `email`: the addresses that events are mailed to, 1 to 10. Each new address gets a mail with a code, and events only after it is confirmed. A change names all addresses: confirmed ones stay confirmed."
  }),
  url: Schema.optionalKey(DeliveryAddress).annotateKey({
    description:
      "Only of `slack` and `generic`: the `https://` address that events are sent to, on the public internet. It is stored encrypted and never shown whole."
  }),
  headers: Schema.optionalKey(Headers).annotateKey({
    description:
      "Only of `generic`: up to 10 headers that each request has. A change of `url` without `headers` drops them."
  })
}

/** The settings of each kind. */
const whereOf = ({
  headers,
  kind,
  to,
  url
}: {
  kind: IntegrationKind
  to?: unknown
  url?: unknown
  headers?: unknown
}) =>
  kind === "email"
    ? to !== undefined && url === undefined && headers === undefined
    : url !== undefined && to === undefined && (kind === "generic" || headers === undefined)

export const IntegrationCreate = Schema.Struct({
  kind: IntegrationKind,
  name: Name.annotateKey(name),
  ...places,
  ...subscription,
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Whether events are sent from now on; an `email` integration begins with its first confirmed address. True when absent."
  })
})
  .check(
    Schema.makeFilter(whereOf, {
      expected: "an e-mail integration with to, a slack one with url, or a generic one with url and perhaps headers"
    })
  )
  .annotate({
    identifier: "IntegrationCreate",
    description:
      "A new integration: of `email` with `to`, of `slack` with `url`, of `generic` with `url` and perhaps `headers`."
  })
export type IntegrationCreate = typeof IntegrationCreate.Type

export const IntegrationChange = Schema.Struct({
  name: Schema.optionalKey(Name).annotateKey(name),
  ...places,
  ...subscription,
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey(switched)
}).annotate({
  identifier: "IntegrationChange",
  description: "Changes of an integration. A missing field stays unchanged; a field of another kind is refused."
})
export type IntegrationChange = typeof IntegrationChange.Type

/** The new secret of a `slack` or `generic` integration: the address, the headers, or both. */
export const IntegrationRotate = Schema.Struct({
  url: Schema.optionalKey(DeliveryAddress).annotateKey({
    description: "The new address. When missing, the address stays and the headers change."
  }),
  headers: Schema.optionalKey(Headers).annotateKey({
    description: "`generic` only. All new headers. When missing, the headers stay, unless the address changes."
  }),
  overlap_seconds: overlapSeconds(
    "How long an event that the new address refuses with 401, 403, 404 or 410 is sent to the previous address with " +
      "the previous headers: up to a week, usually a day. 0 ends the previous ones at once."
  )
})
  .check(
    Schema.makeFilter(
      (rotate: { readonly url?: unknown; readonly headers?: unknown }) =>
        rotate.url !== undefined || rotate.headers !== undefined,
      { expected: "url, headers, or both" }
    )
  )
  .annotate({ identifier: "IntegrationRotate" })
export type IntegrationRotate = typeof IntegrationRotate.Type

export const Recipient = Schema.Struct({
  address: Schema.String.annotateKey({ description: "The e-mail address." }),
  confirmed_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When the address was confirmed, RFC 3339, UTC. Null until then, and no event is sent to it before."
  })
}).annotate({ identifier: "Recipient", description: "An address of an `email` integration." })

export const Integration = Schema.Struct({
  integration_id: Schema.String.annotateKey({ description: "The id of the integration, a UUID." }),
  kind: IntegrationKind,
  name: Schema.String.annotateKey({ description: "The tenant's own name of the integration." }),
  recipients: Schema.NullOr(Schema.Array(Recipient)).annotateKey({
    description: "The addresses of an `email` integration. Null for the other kinds."
  }),
  url: Schema.NullOr(Schema.String).annotateKey({
    description: "The address of a `slack` or `generic` integration, without its secret part. Null for `email`."
  }),
  headers: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    description: "The names of the headers of a `generic` integration, without their values. Null for the other kinds."
  }),
  ...targetFields(
    "integration",
    "Until this moment, RFC 3339, UTC, the address and headers from before the last rotation are used for an event that the new " +
      "ones are refused for. Null without a previous address."
  )
}).annotate({
  identifier: "Integration",
  description: "An integration and how its deliveries go, without its secrets."
})
export type Integration = typeof Integration.Type

export const ConfirmRequest = Schema.Struct({
  code: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)).annotateKey({
    description: "The code from the confirmation mail, valid for 24 hours."
  })
}).annotate({ identifier: "ConfirmRequest", description: "The confirmation of an address." })
export type ConfirmRequest = typeof ConfirmRequest.Type

/** An {@link Event} of {@link webhookTopic}: addresses are asked for confirmation. The key is the integration's id. */
export const ConfirmationAsked = Event.mapFields((_) => ({
  ..._,
  topic: Schema.Literal(webhookTopic),
  kind: Schema.Literal("integration.confirmation_asked"),
  data: Schema.Struct({ integration_id: Schema.String, addresses: Schema.Int })
})).annotate({ identifier: "ConfirmationAsked" })
export type ConfirmationAsked = typeof ConfirmationAsked.Type

const { params, path, ...shared } = targetEndpoints({
  resource: "integration",
  target: Integration,
  one: "an integration",
  show: "Returns one integration of the tenant, without its secrets.",
  deliveries:
    "Returns the deliveries to the integration in the last 30 days, pending ones included, newest first, with every attempt. A mail is delivered when the mail server accepted it.",
  test: "Sends an event of kind `integration.ping` now, once, and returns its result. It works for a disabled integration too, is listed among its deliveries, and does not count as a failure of the integration. At most ten pings an hour go by mail."
})

export class Integrations extends HttpApiGroup.make("integrations")
  .add(
    shared.list,
    HttpApiEndpoint.post("create", "/integrations", {
      payload: IntegrationCreate,
      success: Integration.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...ceilingCodes,
        "confirmation_allowance",
        "mail_not_offered",
        "recipient_refused",
        "target_address_refused",
        "upstream_failed"
      )
    })
      .annotateMerge(
        described(
          "Create an integration",
          "Creates an integration, to which the gateway sends the events that happen from now on. A tenant has at most 10; one more is a 409 `ceiling_reached`. An `email` integration mails a code to each address and begins with the first one that is confirmed; a tenant may cause 20 such mails an hour by default. Where the platform has no mail server, an `email` integration is a 409 `mail_not_offered`."
        )
      )
      .middleware(Creates),
    shared.show,
    HttpApiEndpoint.patch("update", path, {
      params,
      payload: IntegrationChange,
      success: Integration,
      error: failures(
        "concurrent_change",
        "confirmation_allowance",
        "integration_field_refused",
        "integration_not_found",
        "mail_not_offered",
        "recipient_refused",
        "target_address_refused",
        "upstream_failed"
      )
    }).annotateMerge(
      described(
        "Change an integration",
        "Changes the fields that the request names; the `kind` stays. With `to`, every address that is not confirmed gets a new code by mail. An integration that the gateway disabled is enabled again with `enabled: true`, and gets the events that happen from then on."
      )
    ),
    shared.remove,
    shared.deliveries,
    shared.test,
    HttpApiEndpoint.post("confirm", `${path}/confirm`, {
      params,
      payload: ConfirmRequest,
      success: Integration,
      error: failures("concurrent_change", "confirmation_refused", "integration_not_found")
    }).annotateMerge(
      described(
        "Confirm an e-mail address",
        "Confirms the address that the code was mailed to. With its first confirmed address the integration begins to send, unless the tenant disabled it. A code that no address waits for, or that is older than 24 hours, is a 422 `confirmation_refused`; a change with `to` sends a new one."
      )
    ),
    HttpApiEndpoint.post("rotateSecret", `${path}/rotate-secret`, {
      params,
      payload: IntegrationRotate,
      success: Integration,
      error: failures(
        "concurrent_change",
        "integration_field_refused",
        "integration_not_found",
        "target_address_refused"
      )
    })
      .annotateMerge(
        described(
          "Rotate the address or headers of an integration",
          "Replaces the secret of a `slack` or `generic` integration: its address, its headers, or both. Until the overlap " +
            "ends, the gateway sends an event with the previous ones when the receiver refuses the new ones. A test uses " +
            "the new ones alone."
        )
      )
      .middleware(Creates),
    shared.redeliver
  )
  .annotateMerge(
    titled(
      "Integrations",
      "Events by mail, in a chat channel, or as JSON at any address. An integration sends a tenant's events where people and other tools read them; the chats are Slack, Mattermost and Rocket.Chat. Filters, attempts, order and the disabling of receivers that fail are those of webhooks. A tenant gets at most 60 events an hour by mail, by default; `GET /v1/events` has the others."
    )
  )
  .pipe(tenantRoutes) {}
