import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Integrations } from "@portico/contract/Integrations"
import { bodyOr } from "@portico/contract/optionalBody"
import { pageRequestOf } from "@portico/contract/Page"
import { unstored } from "@portico/contract/Unstored"
import { RotateSecretRequest, Webhooks } from "@portico/contract/Webhooks"
import { integrations } from "@portico/domain/targets/integrations"
import { webhooks } from "@portico/domain/targets/webhooks"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

/** Runs an operation for the caller's tenant. */
const own = <Given extends ReadonlyArray<unknown>, A, E, R>(
  operation: (projectId: string, ...given: Given) => Effect.Effect<A, E, R>,
  ...given: Given
) => Effect.flatMap(CurrentTenant, (_) => operation(_.projectId, ...given))

/** Whose targets a call changes, and who makes it. */
const asking = Effect.gen(function* () {
  return { projectId: (yield* CurrentTenant).projectId, caller: yield* CurrentCaller }
})

const rotating = bodyOr(RotateSecretRequest)

export const WebhooksHandlers = HttpApiBuilder.group(apiOf(Webhooks), "webhooks", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => own(webhooks.list),
      create: ({ payload }) =>
        Effect.flatMap(asking, (_) => Effect.map(webhooks.create(_.caller, _.projectId, payload), unstored)),
      show: ({ params }) => own(webhooks.show, params.webhook_id),
      update: ({ params, payload }) =>
        Effect.flatMap(asking, (_) => webhooks.update(_.projectId, params.webhook_id, payload, _.caller)),
      remove: ({ params }) => own(webhooks.remove, params.webhook_id),
      deliveries: ({ params, query }) => own(webhooks.deliveries, params.webhook_id, pageRequestOf(query), query),
      test: ({ params }) => own(webhooks.test, params.webhook_id),
      rotateSecret: ({ params, payload }) =>
        Effect.map(own(webhooks.rotateSecret, params.webhook_id, rotating(payload)), unstored),
      redeliver: ({ params, payload }) => own(webhooks.redeliver, params.webhook_id, payload)
    })
  )
)

export const IntegrationsHandlers = HttpApiBuilder.group(apiOf(Integrations), "integrations", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => own(integrations.list),
      create: ({ payload }) => Effect.flatMap(asking, (_) => integrations.create(_.caller, _.projectId, payload)),
      show: ({ params }) => own(integrations.show, params.integration_id),
      update: ({ params, payload }) =>
        Effect.flatMap(asking, (_) => integrations.update(_.projectId, params.integration_id, payload, _.caller)),
      remove: ({ params }) => own(integrations.remove, params.integration_id),
      deliveries: ({ params, query }) =>
        own(integrations.deliveries, params.integration_id, pageRequestOf(query), query),
      test: ({ params }) => own(integrations.test, params.integration_id),
      confirm: ({ params, payload }) => own(integrations.confirm, params.integration_id, payload),
      rotateSecret: ({ params, payload }) =>
        Effect.flatMap(asking, (_) => integrations.rotateSecret(_.projectId, params.integration_id, payload, _.caller)),
      redeliver: ({ params, payload }) => own(integrations.redeliver, params.integration_id, payload)
    })
  )
)
