import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { Event, TenantTopic, webhookTopic } from "./Events.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageQuery } from "./Page.ts"
import { DeliveryList, SubscribedKinds, SubscribedTopics, WebhookTest } from "./Webhooks.ts"

/**
 * `email`: mail to up to ten addresses, each of which has to confirm first.
 * `slack`: a message in a channel, through an incoming webhook of Slack,
 * Mattermost or Rocket.Chat. `generic`: the envelope as JSON to any address,
 * with headers that authenticate the sender.
 */
export const IntegrationKind = Schema.Literals(["email", "slack", "generic"])
export type IntegrationKind = typeof IntegrationKind.Type

const Name = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(200),
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "text of one line" })
)

const Recipients = Schema.Array(EmailAddress).check(Schema.isMinLength(1), Schema.isMaxLength(10), Schema.isUnique())

const Address = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(2048),
  Schema.makeFilter((text: string) => /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) && URL.canParse(text), {
    expected: "an address that begins with https://"
  })
)

/** Headers that describe the body, its destination and its transfer. */
const reserved =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|user-agent|content-.*|proxy-.*|webhook-.*)$/i

export const SecretHeader = Schema.Struct({
  name: Schema.String.check(
    Schema.makeFilter((text: string) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(text) && !reserved.test(text), {
      expected: "the name of a header that the gateway does not set itself"
    })
  ),
  value: Schema.String.check(
    Schema.isMaxLength(2048),
    Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, { expected: "printable ASCII" })
  )
}).annotate({ identifier: "SecretHeader" })
export type SecretHeader = typeof SecretHeader.Type

const differs = (headers: ReadonlyArray<SecretHeader>): boolean =>
  new Set(headers.map((_) => _.name.toLowerCase())).size === headers.length

const Headers = Schema.Array(SecretHeader).check(
  Schema.isMaxLength(10),
  Schema.makeFilter(differs, { expected: "headers of different names" })
)

const subscription = {
  /** Only events of these topics and kinds are sent; empty or missing means all. */
  topics: Schema.optionalKey(SubscribedTopics),
  kinds: Schema.optionalKey(SubscribedKinds),
  /** Default true. */
  enabled: Schema.optionalKey(Schema.Boolean)
}

const places = {
  /** `email` only. */
  to: Schema.optionalKey(Recipients),
  /** `slack` and `generic`. A secret: it is never shown whole. */
  url: Schema.optionalKey(Address),
  /** `generic` only. The values are secrets: they are never shown. */
  headers: Schema.optionalKey(Headers)
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

export const IntegrationCreate = Schema.Struct({ kind: IntegrationKind, name: Name, ...places, ...subscription })
  .check(
    Schema.makeFilter(whereOf, {
      expected: "an e-mail integration with to, a slack one with url, or a generic one with url and perhaps headers"
    })
  )
  .annotate({ identifier: "IntegrationCreate" })
export type IntegrationCreate = typeof IntegrationCreate.Type

/** Missing fields stay unchanged; fields of another kind are refused. Unconfirmed addresses get another mail. */
export const IntegrationChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  ...places,
  ...subscription
}).annotate({ identifier: "IntegrationChange" })
export type IntegrationChange = typeof IntegrationChange.Type

export const Recipient = Schema.Struct({
  address: Schema.String,
  /** Null until the address has confirmed: no event is sent to it before. */
  confirmed_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Recipient" })

export const Integration = Schema.Struct({
  integration_id: Schema.String,
  kind: IntegrationKind,
  name: Schema.String,
  /** For `email`; null for the others. */
  recipients: Schema.NullOr(Schema.Array(Recipient)),
  /** For the other kinds, without its secret part. */
  url: Schema.NullOr(Schema.String),
  /** The names only; null unless it is `generic`. */
  headers: Schema.NullOr(Schema.Array(Schema.String)),
  topics: Schema.Array(TenantTopic),
  kinds: Schema.Array(Schema.String),
  enabled: Schema.Boolean,
  /** Why no events are sent, when the tenant has not disabled it itself. */
  disabled_reason: Schema.NullOr(Schema.String),
  /** Consecutive events that were not delivered, each after all of its attempts. */
  failures_in_a_row: Schema.Int,
  failing_since: Schema.NullOr(Schema.String),
  /** After an undelivered event, no event is sent before this moment. */
  rests_until: Schema.NullOr(Schema.String),
  /** The user id of the maker. The integration belongs to the account, and stays when that person leaves. */
  created_by: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Integration" })
export type Integration = typeof Integration.Type

export const ConfirmRequest = Schema.Struct({
  /** The code from the confirmation mail. */
  code: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))
}).annotate({ identifier: "ConfirmRequest" })
export type ConfirmRequest = typeof ConfirmRequest.Type

/** An {@link Event} of {@link webhookTopic}: addresses are asked for confirmation. The key is the integration's id. */
export const ConfirmationAsked = Event.mapFields((_) => ({
  ..._,
  topic: Schema.Literal(webhookTopic),
  kind: Schema.Literal("integration.confirmation_asked"),
  data: Schema.Struct({ integration_id: Schema.String, addresses: Schema.Int })
})).annotate({ identifier: "ConfirmationAsked" })
export type ConfirmationAsked = typeof ConfirmationAsked.Type

const id = { integration_id: Schema.String }

/** Both planes. */
export class Integrations extends HttpApiGroup.make("integrations")
  .add(
    HttpApiEndpoint.get("list", "/integrations", {
      success: Schema.Struct({ count: Schema.Int, integrations: Schema.Array(Integration) }).annotate({
        identifier: "IntegrationList"
      })
    }),
    HttpApiEndpoint.post("create", "/integrations", {
      payload: IntegrationCreate,
      success: Integration.pipe(HttpApiSchema.status(201)),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "confirmation_allowance",
        "mail_not_offered",
        "recipient_refused",
        "target_address_refused",
        "tenant_not_found",
        "tier_unreadable",
        "upstream_failed"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("show", "/integrations/:integration_id", {
      params: id,
      success: Integration,
      error: failures("integration_not_found")
    }),
    HttpApiEndpoint.patch("update", "/integrations/:integration_id", {
      params: id,
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
    }),
    HttpApiEndpoint.delete("remove", "/integrations/:integration_id", {
      params: id,
      success: Integration,
      error: failures("integration_not_found")
    }),
    HttpApiEndpoint.get("deliveries", "/integrations/:integration_id/deliveries", {
      params: id,
      query: pageQuery,
      success: DeliveryList,
      error: failures("integration_not_found")
    }),
    HttpApiEndpoint.post("test", "/integrations/:integration_id/test", {
      params: id,
      success: WebhookTest,
      error: failures("integration_not_found")
    }),
    HttpApiEndpoint.post("confirm", "/integrations/:integration_id/confirm", {
      params: id,
      payload: ConfirmRequest,
      success: Integration,
      error: failures("concurrent_change", "confirmation_refused", "integration_not_found")
    })
  )
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
