import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { budgetTopic, Event, TenantTopic, webhookTopic } from "./Events.ts"
import { failures } from "./Failures.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"

const isSent = (topic: TenantTopic): topic is Exclude<TenantTopic, typeof budgetTopic> => topic !== budgetTopic

const Address = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(2048),
  Schema.makeFilter((text: string) => /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) && URL.canParse(text), {
    expected: "an address that begins with https://"
  })
)

const Description = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(200),
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "text of one line" })
)

/** Cost events are on `GET /v1/events` alone, for callers with billing access. */
const SubscribedTopic = TenantTopic.pick(TenantTopic.literals.filter(isSent))

/** The topics; empty or missing means all. */
export const SubscribedTopics = Schema.Array(SubscribedTopic).check(Schema.isMaxLength(20), Schema.isUnique())

/** The kinds of event, such as `credential.created`, or `volume.*` for a prefix; empty or missing means all. */
export const SubscribedKinds = Schema.Array(
  Schema.String.check(
    Schema.isPattern(/^[a-z0-9_.-]{1,100}$|^[a-z0-9_.-]{0,99}\*$/, {
      expected: "a kind of event such as volume.create, or the beginning of one with a * behind it"
    })
  )
).check(Schema.isMaxLength(50), Schema.isUnique())

export const WebhookCreate = Schema.Struct({
  url: Address,
  description: Schema.optionalKey(Description),
  /** Only events of these topics and kinds are sent; empty or missing means all. */
  topics: Schema.optionalKey(SubscribedTopics),
  kinds: Schema.optionalKey(SubscribedKinds),
  /** Default true. */
  enabled: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "WebhookCreate" })
export type WebhookCreate = typeof WebhookCreate.Type

/** Missing fields stay unchanged. */
export const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(Address),
  description: Schema.optionalKey(Description),
  topics: Schema.optionalKey(SubscribedTopics),
  kinds: Schema.optionalKey(SubscribedKinds),
  /** False drops the pending deliveries. True starts with the events from then on. */
  enabled: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "WebhookChange" })
export type WebhookChange = typeof WebhookChange.Type

const fields = {
  webhook_id: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
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
  /** Until then the previous secret signs too. */
  previous_secret_until: Schema.NullOr(Schema.String),
  /** The user id of the maker. The webhook belongs to the account, and stays when that person leaves. */
  created_by: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String
}

export const Webhook = Schema.Struct(fields).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** The responses of a create and a rotation: only these contain the secret. */
export const WebhookWithSecret = Schema.Struct({ ...fields, secret: OneTime }).annotate({
  identifier: "WebhookWithSecret"
})
export type WebhookWithSecret = typeof WebhookWithSecret.Type

export const DeliveryAttempt = Schema.Struct({
  at: Schema.String,
  /** The response's status; null without a response. */
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Int,
  /** The failure; null when it was delivered. */
  error: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeliveryAttempt" })

export const DeliveryState = Schema.Literals(["pending", "delivered", "failed"])

export const Delivery = Schema.Struct({
  delivery_id: Schema.String,
  /** The envelope's id, which is the header `webhook-id`. */
  event_id: Schema.String,
  topic: Schema.String,
  kind: Schema.String,
  state: DeliveryState,
  /** A client requested another delivery. */
  redelivery: Schema.Boolean,
  attempts: Schema.Array(DeliveryAttempt),
  /** The failure; null unless it failed. */
  error: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  finished_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

export const DeliveryList = Schema.Struct({ ...pageFields, deliveries: Schema.Array(Delivery) }).annotate({
  identifier: "DeliveryList"
})

/** The result of a ping. */
export const WebhookTest = Schema.Struct({
  event_id: Schema.String,
  delivered: Schema.Boolean,
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Int,
  error: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WebhookTest" })
export type WebhookTest = typeof WebhookTest.Type

export const RotateSecretRequest = Schema.Struct({
  /** How long the previous secret signs too: up to a week, usually a day. 0 ends it at once. */
  overlap_seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(86_400))
  )
}).annotate({ identifier: "RotateSecretRequest" })
export type RotateSecretRequest = typeof RotateSecretRequest.Type

export const RedeliverRequest = Schema.Struct({
  event_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))
}).annotate({ identifier: "RedeliverRequest" })
export type RedeliverRequest = typeof RedeliverRequest.Type

// --- events -----------------------------------------------------------------------

/** An {@link Event} of {@link webhookTopic}: the target gets no more events. The key is the target's id. */
export const TargetDisabled = Event.mapFields((_) => ({
  ..._,
  topic: Schema.Literal(webhookTopic),
  kind: Schema.Literals(["webhook.disabled", "integration.disabled"]),
  data: Schema.Struct({
    /** `webhook`, or the kind of the integration. */
    target_kind: Schema.String,
    target_id: Schema.String,
    name: Schema.NullOr(Schema.String),
    reason: Schema.String,
    failures_in_a_row: Schema.Int,
    failing_since: Schema.NullOr(Schema.String)
  })
})).annotate({ identifier: "TargetDisabled" })
export type TargetDisabled = typeof TargetDisabled.Type

// --- routes -----------------------------------------------------------------------

const id = { webhook_id: Schema.String }

const unstored = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, { "cache-control": Schema.Literal("no-store") })

/** Both planes. */
export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      success: Schema.Struct({ count: Schema.Int, webhooks: Schema.Array(Webhook) }).annotate({
        identifier: "WebhookList"
      })
    }),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: WebhookCreate,
      success: unstored(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "target_address_refused",
        "tenant_not_found",
        "tier_unreadable"
      )
    })
      .annotate(AnswersSecret, "new")
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/webhooks/:webhook_id", {
      params: id,
      success: Webhook,
      error: failures("webhook_not_found")
    }),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook_id", {
      params: id,
      payload: WebhookChange,
      success: Webhook,
      error: failures("target_address_refused", "webhook_not_found")
    }),
    HttpApiEndpoint.delete("remove", "/webhooks/:webhook_id", {
      params: id,
      success: Webhook,
      error: failures("webhook_not_found")
    }),
    HttpApiEndpoint.get("deliveries", "/webhooks/:webhook_id/deliveries", {
      params: id,
      query: pageQuery,
      success: DeliveryList,
      error: failures("webhook_not_found")
    }),
    HttpApiEndpoint.post("test", "/webhooks/:webhook_id/test", {
      params: id,
      success: WebhookTest,
      error: failures("webhook_not_found")
    }),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret", {
      params: id,
      payload: RotateSecretRequest,
      success: unstored(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: failures("concurrent_change", "webhook_not_found")
    })
      // The secret of an existing webhook, which another caller may have made.
      .annotate(AnswersSecret, "stored")
      .middleware(Creates),
    HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/redeliver", {
      params: id,
      payload: RedeliverRequest,
      success: Delivery.pipe(HttpApiSchema.status(202)),
      error: failures("event_not_found", "webhook_disabled", "webhook_not_found")
    }).middleware(Creates)
  )
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
