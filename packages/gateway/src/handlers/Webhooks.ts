import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { bodyOr } from "@portico/contract/optionalBody"
import { pageRequestOf } from "@portico/contract/Page"
import { unstored } from "@portico/contract/Unstored"
import { RotateSecretRequest, Webhooks } from "@portico/contract/Webhooks"
import { createWebhook, removeWebhook, rotateSecret, updateWebhook } from "@portico/domain/webhooks/change"
import { listWebhookDeliveries, listWebhooks, showWebhook } from "@portico/domain/webhooks/read"
import { redeliver, testWebhook } from "@portico/domain/webhooks/send"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { asking } from "./targets.ts"

const rotating = bodyOr(RotateSecretRequest)

export const WebhooksHandlers = HttpApiBuilder.group(apiOf(Webhooks), "webhooks", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => Effect.flatMap(CurrentTenant, (_) => listWebhooks(_.projectId)),
      create: ({ payload }) =>
        Effect.gen(function* () {
          return unstored(yield* createWebhook(yield* CurrentCaller, (yield* CurrentTenant).projectId, payload))
        }),
      show: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showWebhook(_.projectId, params.webhook_id)),
      update: ({ params, payload }) =>
        Effect.flatMap(asking, (_) => updateWebhook(_.projectId, params.webhook_id, payload, _.caller)),
      remove: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeWebhook(_.projectId, params.webhook_id)),
      deliveries: ({ params, query }) =>
        Effect.flatMap(CurrentTenant, (_) =>
          listWebhookDeliveries(_.projectId, params.webhook_id, pageRequestOf(query), query)
        ),
      test: ({ params }) => Effect.flatMap(CurrentTenant, (_) => testWebhook(_.projectId, params.webhook_id)),
      rotateSecret: ({ params, payload }) =>
        CurrentTenant.pipe(
          Effect.flatMap((_) => rotateSecret(_.projectId, params.webhook_id, rotating(payload))),
          Effect.map(unstored)
        ),
      redeliver: ({ params, payload }) =>
        Effect.flatMap(CurrentTenant, (_) => redeliver(_.projectId, params.webhook_id, payload))
    })
  )
)
