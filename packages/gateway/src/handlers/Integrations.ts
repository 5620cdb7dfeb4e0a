import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Integrations } from "@portico/contract/Integrations"
import { pageRequestOf } from "@portico/contract/Page"
import {
  confirmAddress,
  createIntegration,
  removeIntegration,
  rotateIntegration,
  updateIntegration
} from "@portico/domain/integrations/change"
import {
  listIntegrations,
  listIntegrationDeliveries,
  redeliver,
  showIntegration,
  testIntegration
} from "@portico/domain/integrations/read"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { asking } from "./targets.ts"

export const IntegrationsHandlers = HttpApiBuilder.group(apiOf(Integrations), "integrations", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => Effect.flatMap(CurrentTenant, (_) => listIntegrations(_.projectId)),
      create: ({ payload }) =>
        Effect.gen(function* () {
          return yield* createIntegration(yield* CurrentCaller, (yield* CurrentTenant).projectId, payload)
        }),
      show: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showIntegration(_.projectId, params.integration_id)),
      update: ({ params, payload }) =>
        Effect.flatMap(asking, (_) => updateIntegration(_.projectId, params.integration_id, payload, _.caller)),
      remove: ({ params }) =>
        Effect.flatMap(CurrentTenant, (_) => removeIntegration(_.projectId, params.integration_id)),
      deliveries: ({ params, query }) =>
        Effect.flatMap(CurrentTenant, (_) =>
          listIntegrationDeliveries(_.projectId, params.integration_id, pageRequestOf(query), query)
        ),
      test: ({ params }) => Effect.flatMap(CurrentTenant, (_) => testIntegration(_.projectId, params.integration_id)),
      confirm: ({ params, payload }) =>
        Effect.flatMap(CurrentTenant, (_) => confirmAddress(_.projectId, params.integration_id, payload)),
      rotateSecret: ({ params, payload }) =>
        Effect.flatMap(asking, (_) => rotateIntegration(_.projectId, params.integration_id, payload, _.caller)),
      redeliver: ({ params, payload }) =>
        Effect.flatMap(CurrentTenant, (_) => redeliver(_.projectId, params.integration_id, payload))
    })
  )
)
