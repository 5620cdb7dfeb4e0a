import { webhookTopic } from "@portico/contract/Events"
import { NotFound } from "@portico/contract/Failures"
import type { PageRequest } from "@portico/contract/Page"
import type { WebhookTest } from "@portico/contract/Webhooks"
import { Targets } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { listDeliveries } from "../deliveries/list.ts"
import { messageOf } from "../deliveries/message.ts"
import { trySending } from "../deliveries/tries.ts"
import { isIntegration, ping } from "./kinds.ts"
import { integrationRecord } from "./record.ts"

/** A tenant's integrations, oldest first. */
export const listIntegrations = Effect.fn("integrations.list")(function* (projectId: string) {
  const integrations = yield* Effect.forEach(yield* ownIntegrations(projectId), integrationRecord)
  return { count: integrations.length, integrations }
})

export const ownIntegrations = Effect.fnUntraced(function* (projectId: string) {
  return (yield* (yield* Targets).list(projectId)).filter(isIntegration)
})

/** Errors: 404 alike for another tenant's integration, an unknown one, a malformed id and a webhook. */
export const showIntegration = Effect.fn("integrations.show")(function* (projectId: string, integrationId: string) {
  return yield* integrationRecord(yield* ownIntegration(projectId, integrationId))
})

/** Errors: 404, as for {@link showIntegration}. */
export const ownIntegration = Effect.fnUntraced(function* (projectId: string, integrationId: string) {
  const entry = yield* (yield* Targets).find(projectId, integrationId)
  return entry !== undefined && isIntegration(entry) ? entry : yield* NotFound.integration(integrationId)
})

/** Errors: 404, as for {@link showIntegration}. */
export const listIntegrationDeliveries = Effect.fnUntraced(function* (
  projectId: string,
  integrationId: string,
  page: PageRequest
) {
  return yield* listDeliveries((yield* ownIntegration(projectId, integrationId)).target_id, page)
})

/**
 * Sends a ping once, also to a disabled integration; by mail only to addresses that have agreed.
 * The ping is not an event of the log, and does not affect the integration's health.
 *
 * Errors: 404, as for {@link showIntegration}.
 */
export const testIntegration = Effect.fn("integrations.test")(function* (projectId: string, integrationId: string) {
  const target = yield* ownIntegration(projectId, integrationId)
  const id = randomUUID()
  const message = messageOf({
    id,
    topic: webhookTopic,
    kind: ping,
    at: DateTime.formatIso(yield* DateTime.now),
    key: integrationId,
    project_id: projectId,
    data: { integration_id: integrationId }
  })
  if (message === undefined) return yield* Effect.die("a ping is no event")
  const { duration_ms, error, status } = (yield* trySending(target, message)).attempt
  return { event_id: id, delivered: error === null, status, duration_ms, error } satisfies WebhookTest
})
