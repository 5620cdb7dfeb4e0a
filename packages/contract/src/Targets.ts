import { Effect, Record, Schema, String, Struct } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { described, meanings } from "./describe.ts"
import { budgetTopic, Event, TenantTopic, topicMeanings, webhookTopic } from "./Events.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery, wholeList } from "./Page.ts"

// The targets of a tenant's events. The API has them as two resources: webhooks, which are of one kind, and integrations,
// which are of several. What both have in common is declared here.

/** A resource of targets, as names, paths and codes have it. */
export type TargetResource = "webhook" | "integration"

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

/** Switches a webhook or an integration. */
export const switched = {
  description: "False stops sending and drops the pending deliveries. True sends the events that happen from then on."
}

/** What is sent to a webhook or an integration, and how its deliveries go. */
const deliveryState = {
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

/** How a target's deliveries go, and who made it when. */
export const targetFields = (resource: TargetResource, previousSecretUntil: string) => ({
  ...deliveryState,
  previous_secret_until: Schema.NullOr(Schema.String).annotateKey({ description: previousSecretUntil }),
  created_by: Schema.String.annotateKey({
    description: `The user id of the creator at the identity provider. The ${resource} belongs to the account, and stays when that person leaves.`
  }),
  created_at: Schema.String.annotateKey({ description: `When the ${resource} was created, RFC 3339, UTC.` }),
  updated_at: Schema.String.annotateKey({ description: `When the ${resource} last changed, RFC 3339, UTC.` })
})

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
const deliveryQuery = {
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

const DeliveryList = pageList("DeliveryList", {
  deliveries: Schema.Array(Delivery).annotateKey({ description: "The deliveries of the last 30 days, newest first." })
})

export const TargetTest = Schema.Struct({
  event_id: Schema.String.annotateKey({ description: "The `id` of the ping. `GET /v1/events` does not have it." }),
  delivered: Schema.Boolean.annotateKey({ description: "Whether the receiver accepted the ping." }),
  status: Schema.NullOr(Schema.Int).annotateKey({
    description: "The HTTP status of the receiver's response. Null without a response, and for mail."
  }),
  duration_ms: Schema.Int.annotateKey({ description: "How long the attempt took, in milliseconds." }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the attempt failed. Null when the ping was delivered."
  })
}).annotate({ identifier: "WebhookTest", description: "The result of a ping." })
export type TargetTest = typeof TargetTest.Type

/** For how long a previous secret is used beside a new one, in seconds. */
export const overlapSeconds = (description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 }))
    .annotateKey({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(86_400)))

export const RedeliverRequest = Schema.Struct({
  event_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)).annotateKey({
    description: "The `id` of an event of the last 30 days that the webhook is subscribed to."
  })
}).annotate({ identifier: "RedeliverRequest", description: "The event to send once more." })
export type RedeliverRequest = typeof RedeliverRequest.Type

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

interface TargetOptions<Resource extends TargetResource, Target extends Schema.Top> {
  readonly resource: Resource
  /** A target as responses have it. */
  readonly target: Target
  /** The resource with its article. */
  readonly one: string
  /** What the operations do whose descriptions differ. */
  readonly show: string
  readonly deliveries: string
  readonly test: string
}

/** The endpoints that webhooks and integrations have in common. */
export const targetEndpoints = <const Resource extends TargetResource, Target extends Schema.Top>({
  deliveries,
  one,
  resource,
  show,
  target,
  test
}: TargetOptions<Resource, Target>) => {
  const all = `/${resource}s` as const
  const path = `${all}/:${resource}_id` as const
  const params = Record.singleton(
    `${resource}_id` as const,
    Schema.String.annotateKey({ description: `The id of ${one} of the tenant.` })
  )
  const absent = `${resource}_not_found` as const
  const error = failures(absent)
  const rows = Record.singleton(
    `${resource}s` as const,
    Schema.Array(target).annotateKey({ description: `The tenant's ${resource}s, oldest first.` })
  )
  return {
    params,
    path,
    list: HttpApiEndpoint.get("list", all, {
      success: wholeList(`${String.capitalize(resource)}List`, rows)
    }).annotateMerge(
      described(`List ${resource}s`, `Returns the tenant's ${resource}s, at most 10, with how their deliveries go.`)
    ),
    show: HttpApiEndpoint.get("show", path, { params, success: target, error }).annotateMerge(
      described(`Show ${one}`, show)
    ),
    remove: HttpApiEndpoint.delete("remove", path, { params, success: target, error }).annotateMerge(
      described(
        `Delete ${one}`,
        `Deletes ${one} and its pending deliveries, and returns it as it was. \`GET /v1/events\` still has the events.`
      )
    ),
    deliveries: HttpApiEndpoint.get("deliveries", `${path}/deliveries` as const, {
      params,
      query: deliveryQuery,
      success: DeliveryList,
      error
    }).annotateMerge(described(`List ${one}'s deliveries`, deliveries)),
    test: HttpApiEndpoint.post("test", `${path}/test` as const, {
      params,
      success: TargetTest,
      error
    }).annotateMerge(described(`Send a ping to ${one}`, test)),
    redeliver: HttpApiEndpoint.post("redeliver", `${path}/redeliver` as const, {
      params,
      payload: RedeliverRequest,
      success: Delivery.pipe(HttpApiSchema.status(202)),
      error: failures("event_not_found", `${resource}_disabled` as const, absent)
    })
      .annotateMerge(
        described(
          `Send an event to ${one} again`,
          `Puts an event of the last 30 days behind the ${resource}'s pending deliveries, under the same \`id\` and with three attempts of its own. The event may be older than the ${resource}, but the ${resource} must be subscribed to it and enabled. While an earlier redelivery of the same event waits, that one is returned. The list of deliveries shows when it arrived.`
        )
      )
      .middleware(Creates)
  }
}
