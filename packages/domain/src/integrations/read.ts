import { webhookTopic } from "@portico/contract/Events"
import { NotFound } from "@portico/contract/Failures"
import { type PageRequest, pageOf } from "@portico/contract/Page"
import type { WebhookTest } from "@portico/contract/Webhooks"
import { Deliveries } from "@portico/store/Deliveries"
import { Targets } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { messageOf } from "../deliveries/message.ts"
import { trySending } from "../deliveries/tries.ts"
import { deliveryRecord } from "../webhooks/record.ts"
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

/** Errors: 404 for another tenant's, nobody's, a malformed id and a webhook alike. */
export const showIntegration = Effect.fn("integrations.show")(function* (projectId: string, integrationId: string) {
  return yield* integrationRecord(yield* ownIntegration(projectId, integrationId))
})

/** Errors: 404, as for {@link showIntegration}. */
export const ownIntegration = Effect.fnUntraced(function* (projectId: string, integrationId: string) {
  const entry = yield* (yield* Targets).find(projectId, integrationId)
  return entry !== undefined && isIntegration(entry) ? entry : yield* NotFound.integration(integrationId)
})

/**
 * What was sent through an integration in the last 30 days, or waits to be,
 * the newest first. Errors: 404, as for {@link showIntegration}.
 */
export const listSent = Effect.fn("integrations.deliveries")(function* (
  projectId: string,
  integrationId: string,
  page: PageRequest
) {
  const { target_id } = yield* ownIntegration(projectId, integrationId)
  const deliveries = yield* Deliveries
  const { count, found } = yield* Effect.all(
    { count: deliveries.count(target_id), found: deliveries.page(target_id, page.after?.at, page.limit + 1) },
    { concurrency: 2 }
  )
  const { next_cursor, rows } = pageOf(found, page, (_) => ({ at: _.number, id: _.delivery_id }))
  return { count, next_cursor, deliveries: rows.map(deliveryRecord) }
})

/**
 * Sends a ping now, once, also to an integration that is disabled; to addresses
 * that have agreed alone. It is no event of the log, and counts for nothing.
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
