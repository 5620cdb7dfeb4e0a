import { Effect, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { DeliveryAddress } from "./DeliveryAddress.ts"
import { AnswersSecret } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { budgetTopic, Event, TenantTopic, topicMeanings, webhookTopic } from "./Events.ts"
import { ceilingCodes, failures } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { pageList, pageQuery, wholeList } from "./Page.ts"
import { line } from "./Text.ts"
import { Unstored } from "./Unstored.ts"
import { optionalBody } from "./optionalBody.ts"

const Description = line(200)

/** Cost events are on `GET /v1/events` alone, for callers with billing access. */
const SubscribedTopic = meanings("A topic whose events can be sent.", Struct.omit(topicMeanings, [budgetTopic]))

export const SubscribedTopics = Schema.Array(SubscribedTopic).check(Schema.isMaxLength(20), Schema.isUnique())

export const SubscribedKinds = Schema.Array(
  Schema.String.check(
    Schema.isPattern(/^[a-z0-9_.-]{1,100}$|^[a-z0-9_.-]{0,99}\*$/, {
      expected: "a kind of event such as volume.create, or the beginning of one with a * behind it"
    })
  ).annotate({
    description:
      "A kind of event, such as `credential.created`, or the beginning of kinds with `*`, such as `volume.*`."
  })
).check(Schema.isMaxLength(50), Schema.isUnique())

const url = {
  description:
    "The `https://` address that events are sent to. It has no user name and password, and leads to the public internet: the gateway checks it now and before each attempt."
}

const ownText = { description: "The tenant's own text about the webhook: one line of 1 to 200 characters." }

/** The fields of a subscription, of webhooks and integrations alike. */
export const subscription = {
  topics: Schema.optionalKey(SubscribedTopics).annotateKey({
    description:
      "The topics whose events are sent, at most 20. Empty means all of them; so does a missing field on a create."
  }),
  kinds: Schema.optionalKey(SubscribedKinds).annotateKey({
    description:
      "The kinds of event that are sent, at most 50. Empty means all of them; so does a missing field on a create."
  })
}

export const WebhookCreate = Schema.Struct({
  url: DeliveryAddress.annotateKey(url),
  description: Schema.optionalKey(Description).annotateKey(ownText),
  ...subscription,
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether events are sent from now on. True when absent."
  })
}).annotate({ identifier: "WebhookCreate", description: "A new webhook." })
export type WebhookCreate = typeof WebhookCreate.Type

/** Switches a webhook or an integration. */
export const switched = {
  description: "False stops sending and drops the pending deliveries. True sends the events that happen from then on."
}

export const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(DeliveryAddress).annotateKey(url),
  description: Schema.optionalKey(Description).annotateKey(ownText),
  ...subscription,
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey(switched)
}).annotate({ identifier: "WebhookChange", description: "Changes of a webhook. A missing field stays unchanged." })
export type WebhookChange = typeof WebhookChange.Type

/** What is sent to a webhook or an integration, and how its deliveries go. */
export const deliveryState = {
  topics: Schema.Array(TenantTopic).annotateKey({
    description: "The topics whose events are sent. Empty means all but `billing.budgets`."
  }),
  kinds: Schema.Array(Schema.String).annotateKey({
    description: "The kinds of event that are sent, whole or as the beginning before a `*`. Empty means all."
  }),
  enabled: Schema.Boolean.annotateKey({ description: "Whether events are sent." }),
  disabled_reason: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the gateway sends no events. Null while it sends them, and when the tenant disabled it."
  }),
  failures_in_a_row: Schema.Int.annotateKey({
    description: "The number of events in a row that were not delivered, each after all of its attempts."
  }),
  failing_since: Schema.NullOr(Schema.String).annotateKey({
    description: "When the first of these events failed, RFC 3339, UTC. Null when the last event was delivered."
  }),
  rests_until: Schema.NullOr(Schema.String).annotateKey({
    description:
      "After an event that was not delivered, the next one is sent no earlier than this, RFC 3339, UTC. Null when it does not rest."
  })
}

const fields = {
  webhook_id: Schema.String.annotateKey({ description: "The id of the webhook, a UUID." }),
  url: Schema.String.annotateKey({ description: "The address that events are sent to." }),
  description: Schema.NullOr(Schema.String).annotateKey({
    description: "The tenant's own text about the webhook. Null when it has none."
  }),
  ...deliveryState,
  previous_secret_until: Schema.NullOr(Schema.String).annotateKey({
    description: "Until then the previous secret signs too, RFC 3339, UTC. Null when only the present one signs."
  }),
  created_by: Schema.String.annotateKey({
    description:
      "The user id of the creator at the identity provider. The webhook belongs to the account, and stays when that person leaves."
  }),
  created_at: Schema.String.annotateKey({ description: "When the webhook was created, RFC 3339, UTC." }),
  updated_at: Schema.String.annotateKey({ description: "When the webhook last changed, RFC 3339, UTC." })
}

export const Webhook = Schema.Struct(fields).annotate({
  identifier: "Webhook",
  description: "A webhook and how its deliveries go, without its secret."
})
export type Webhook = typeof Webhook.Type

export const WebhookWithSecret = Schema.Struct({
  ...fields,
  secret: OneTime.annotateKey({
    description:
      "The secret that signs the events, beginning with `whsec_`. Libraries of Standard Webhooks take it as it is. The first signature's key is its SHA-256 in hexadecimal."
  })
}).annotate({
  identifier: "WebhookWithSecret",
  description: "A webhook with its new secret, which only the responses of a creation and a rotation have."
})
export type WebhookWithSecret = typeof WebhookWithSecret.Type

export const DeliveryAttempt = Schema.Struct({
  at: Schema.String.annotateKey({ description: "When the attempt began, RFC 3339, UTC." }),
  status: Schema.NullOr(Schema.Int).annotateKey({
    description: "The HTTP status of the receiver's response. Null without a response, and for mail."
  }),
  duration_ms: Schema.Int.annotateKey({
    description: "How long the attempt took, in milliseconds; at most 5 seconds by default."
  }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the attempt failed. Null when the event was delivered."
  })
}).annotate({ identifier: "DeliveryAttempt", description: "One attempt to deliver an event." })

export const DeliveryState = meanings("How the delivery stands.", {
  pending: "It waits for its first or next attempt.",
  delivered: "The receiver accepted the event.",
  failed: "The gateway gave the event up."
})

/** The query of a list of deliveries. */
export const deliveryQuery = {
  state: Schema.optionalKey(DeliveryState).annotateKey({ description: "Only deliveries in this state." }),
  ...pageQuery
}

export const Delivery = Schema.Struct({
  delivery_id: Schema.String.annotateKey({ description: "The id of the delivery." }),
  event_id: Schema.String.annotateKey({
    description: "The `id` of the event, which the header `webhook-id` repeats. A redelivery has the same one."
  }),
  topic: Schema.String.annotateKey({ description: "The topic of the event, such as `alarms`." }),
  kind: Schema.String.annotateKey({ description: "The kind of the event, such as `alarm.state_changed`." }),
  state: DeliveryState,
  redelivery: Schema.Boolean.annotateKey({ description: "True if a caller asked to send the event once more." }),
  attempts: Schema.Array(DeliveryAttempt).annotateKey({ description: "The attempts so far, oldest first, at most 3." }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the delivery failed. Null unless `state` is `failed`."
  }),
  created_at: Schema.String.annotateKey({ description: "When the event was put into the queue, RFC 3339, UTC." }),
  finished_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it was delivered or given up, RFC 3339, UTC. Null while `state` is `pending`."
  })
}).annotate({ identifier: "Delivery", description: "An event on its way to a webhook or an integration." })
export type Delivery = typeof Delivery.Type

export const DeliveryList = pageList("DeliveryList", {
  deliveries: Schema.Array(Delivery).annotateKey({ description: "The deliveries of the last 30 days, newest first." })
})

export const WebhookTest = Schema.Struct({
  event_id: Schema.String.annotateKey({ description: "The `id` of the ping. It is no event of `GET /v1/events`." }),
  delivered: Schema.Boolean.annotateKey({ description: "Whether the receiver accepted the ping." }),
  status: Schema.NullOr(Schema.Int).annotateKey({
    description: "The HTTP status of the receiver's response. Null without a response, and for mail."
  }),
  duration_ms: Schema.Int.annotateKey({ description: "How long the attempt took, in milliseconds." }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the attempt failed. Null when the ping was delivered."
  })
}).annotate({ identifier: "WebhookTest", description: "The result of a ping." })
export type WebhookTest = typeof WebhookTest.Type

/** For how long a previous secret is used beside a new one, in seconds. */
export const overlapSeconds = (description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 }))
    .annotateKey({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(86_400)))

export const RotateSecretRequest = Schema.Struct({
  overlap_seconds: overlapSeconds(
    "Seconds for which the previous secret signs too, 0 to 604800 (a week); 86400 (a day) when absent. 0 ends it at once."
  )
}).annotate({ identifier: "RotateSecretRequest", description: "How a webhook's secret is rotated." })
export type RotateSecretRequest = typeof RotateSecretRequest.Type

export const RedeliverRequest = Schema.Struct({
  event_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)).annotateKey({
    description: "The `id` of an event of the last 30 days that the webhook is subscribed to."
  })
}).annotate({ identifier: "RedeliverRequest", description: "The event to send once more." })
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

const id = { webhook_id: Schema.String.annotateKey({ description: "The id of a webhook of the tenant." }) }

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      success: wholeList("WebhookList", {
        webhooks: Schema.Array(Webhook).annotateKey({ description: "The tenant's webhooks, oldest first." })
      })
    }).annotateMerge(
      described("List webhooks", "Returns the tenant's webhooks, at most 10, with how their deliveries go.")
    ),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: WebhookCreate,
      success: Unstored(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: failures(...ceilingCodes, "target_address_refused")
    })
      .annotateMerge(
        described(
          "Create a webhook",
          "Creates a webhook, to which the gateway sends the events that happen from now on. A tenant has at most 10; one more is a 409 `ceiling_reached`. The response is the only one with the `secret`; if it is lost, rotate the secret."
        )
      )
      .annotate(AnswersSecret, "new")
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/webhooks/:webhook_id", {
      params: id,
      success: Webhook,
      error: failures("webhook_not_found")
    }).annotateMerge(described("Show a webhook", "Returns one webhook of the tenant, without its secret.")),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook_id", {
      params: id,
      payload: WebhookChange,
      success: Webhook,
      error: failures("target_address_refused", "webhook_not_found")
    }).annotateMerge(
      described(
        "Change a webhook",
        "Changes the fields that the request names. A webhook that the gateway disabled, because its events did not arrive for too long or the receiver answered 410, is enabled again with `enabled: true`. It then gets the events that happen from then on; `GET /v1/events` has those in between."
      )
    ),
    HttpApiEndpoint.delete("remove", "/webhooks/:webhook_id", {
      params: id,
      success: Webhook,
      error: failures("webhook_not_found")
    }).annotateMerge(
      described(
        "Delete a webhook",
        "Deletes a webhook and its pending deliveries, and returns it as it was. `GET /v1/events` still has the events."
      )
    ),
    HttpApiEndpoint.get("deliveries", "/webhooks/:webhook_id/deliveries", {
      params: id,
      query: deliveryQuery,
      success: DeliveryList,
      error: failures("webhook_not_found")
    }).annotateMerge(
      described(
        "List a webhook's deliveries",
        "Returns what the gateway sent to the webhook in the last 30 days, or has yet to send, newest first, with every attempt."
      )
    ),
    HttpApiEndpoint.post("test", "/webhooks/:webhook_id/test", {
      params: id,
      success: WebhookTest,
      error: failures("webhook_not_found")
    }).annotateMerge(
      described(
        "Send a ping to a webhook",
        "Sends a signed event of kind `webhook.ping` now, once, and returns its result. It works for a disabled webhook too, is listed among its deliveries, and does not count as a failure of the webhook. It cannot be sent again."
      )
    ),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret", {
      params: id,
      payload: optionalBody(RotateSecretRequest),
      success: Unstored(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: failures("concurrent_change", "webhook_not_found")
    })
      .annotateMerge(
        described(
          "Rotate a webhook's secret",
          "Gives the webhook a new secret, which only this response shows. For `overlap_seconds` the gateway signs every event with the previous secret too, so that receivers can be changed meanwhile. At most three secrets sign at a time: a faster rotation ends the oldest early."
        )
      )
      // The secret of an existing webhook, which another caller may have made.
      .annotate(AnswersSecret, "stored")
      .middleware(Creates),
    HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/redeliver", {
      params: id,
      payload: RedeliverRequest,
      success: Delivery.pipe(HttpApiSchema.status(202)),
      error: failures("event_not_found", "webhook_disabled", "webhook_not_found")
    })
      .annotateMerge(
        described(
          "Send an event to a webhook again",
          "Puts an event of the last 30 days behind the webhook's pending deliveries, under the same `id` and with three attempts of its own. The event may be older than the webhook, but the webhook must be subscribed to it and enabled. While an earlier redelivery of the same event waits, that one is returned. The list of deliveries shows when it arrived."
        )
      )
      .middleware(Creates)
  )
  .annotateMerge(
    titled(
      "Webhooks",
      "Addresses that the gateway sends events to, as signed requests. A webhook is an `https://` address of the tenant's; events arrive there as they happen, each as a POST. The gateway sends the events of a webhook one after the other, in order, with up to three attempts each; a receiver answers with a 2xx within 5 seconds, and drops an event `id` that it has seen. A webhook whose events do not arrive for a day is disabled. Signatures follow Standard Webhooks, except that the key of the HMAC is the SHA-256 of the secret in hexadecimal."
    )
  )
  .pipe(tenantRoutes) {}
