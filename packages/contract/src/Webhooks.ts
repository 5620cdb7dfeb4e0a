import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret } from "./Access.ts"
import { DeliveryAddress } from "./DeliveryAddress.ts"
import { described, titled } from "./describe.ts"
import { ceilingCodes, failures } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { optionalBody } from "./optionalBody.ts"
import { overlapSeconds, subscription, switched, targetEndpoints, targetFields } from "./Targets.ts"
import { line } from "./Text.ts"
import { Unstored } from "./Unstored.ts"

const Description = line(200)

const url = {
  description:
    "The `https://` address that events are sent to. It has no user name and password, and leads to the public internet: the gateway checks it now and before each attempt."
}

const ownText = { description: "The tenant's own text about the webhook: one line of 1 to 200 characters." }

export const WebhookCreate = Schema.Struct({
  url: DeliveryAddress.annotateKey(url),
  description: Schema.optionalKey(Description).annotateKey(ownText),
  ...subscription,
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether events are sent from now on. True when absent."
  })
}).annotate({ identifier: "WebhookCreate", description: "A new webhook." })
export type WebhookCreate = typeof WebhookCreate.Type

export const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(DeliveryAddress).annotateKey(url),
  description: Schema.optionalKey(Description).annotateKey(ownText),
  ...subscription,
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey(switched)
}).annotate({ identifier: "WebhookChange", description: "Changes of a webhook. A missing field stays unchanged." })
export type WebhookChange = typeof WebhookChange.Type

const fields = {
  webhook_id: Schema.String.annotateKey({ description: "The id of the webhook, a UUID." }),
  url: Schema.String.annotateKey({ description: "The address that events are sent to." }),
  description: Schema.NullOr(Schema.String).annotateKey({
    description: "The tenant's own text about the webhook. Null when it has none."
  }),
  ...targetFields(
    "webhook",
    "Until then the previous secret signs too, RFC 3339, UTC. Null when only the present one signs."
  )
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

export const RotateSecretRequest = Schema.Struct({
  overlap_seconds: overlapSeconds(
    "Seconds for which the previous secret signs too, 0 to 604800 (a week); 86400 (a day) when absent. 0 ends it at once."
  )
}).annotate({ identifier: "RotateSecretRequest", description: "How a webhook's secret is rotated." })
export type RotateSecretRequest = typeof RotateSecretRequest.Type

const { params, path, ...shared } = targetEndpoints({
  resource: "webhook",
  target: Webhook,
  one: "a webhook",
  show: "Returns one webhook of the tenant, without its secret.",
  deliveries:
    "Returns the deliveries to the webhook in the last 30 days, pending ones included, newest first, with every attempt.",
  test: "Sends a signed event of kind `webhook.ping` now, once, and returns its result. It works for a disabled webhook too, is listed among its deliveries, and does not count as a failure of the webhook. It cannot be sent again."
})

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    shared.list,
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
    shared.show,
    HttpApiEndpoint.patch("update", path, {
      params,
      payload: WebhookChange,
      success: Webhook,
      error: failures("target_address_refused", "webhook_not_found")
    }).annotateMerge(
      described(
        "Change a webhook",
        "Changes the fields that the request names. A webhook that the gateway disabled, because its events did not arrive for too long or the receiver answered 410, is enabled again with `enabled: true`. It then gets the events that happen from then on; `GET /v1/events` has those in between."
      )
    ),
    shared.remove,
    shared.deliveries,
    shared.test,
    HttpApiEndpoint.post("rotateSecret", `${path}/rotate-secret`, {
      params,
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
    shared.redeliver
  )
  .annotateMerge(
    titled(
      "Webhooks",
      "Addresses that the gateway sends events to, as signed requests. A webhook is an `https://` address of the tenant's; events arrive there as they happen, each as a POST. The gateway sends the events of a webhook one after the other, in order, with up to three attempts each; a receiver answers with a 2xx within 5 seconds, and drops an event `id` that it has seen. A webhook whose events do not arrive for a day is disabled. Signatures follow Standard Webhooks, except that the key of the HMAC is the SHA-256 of the secret in hexadecimal."
    )
  )
  .pipe(tenantRoutes) {}
