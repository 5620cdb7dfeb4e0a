import { Conflict, NotFound } from "@portico/contract/Failures"
import type { Integration } from "@portico/contract/Integrations"
import type { PageRequest } from "@portico/contract/Page"
import type { RedeliverRequest } from "@portico/contract/Targets"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { type DeliveryFilter, listDeliveries } from "../deliveries/list.ts"
import { redeliverTo } from "../deliveries/redeliver.ts"
import { previousUntil } from "../deliveries/secrets.ts"
import { commonToWire, sendPing } from "../deliveries/targets.ts"
import { isIntegration, ping, recipientsOf, shownEndpointOf } from "./settings.ts"

/** A tenant's integrations, oldest first. */
export const listIntegrations = Effect.fn("integrations.list")(function* (projectId: string) {
  const integrations = yield* Effect.forEach(yield* ownIntegrations(projectId), toWire)
  return { count: integrations.length, integrations }
})

export const ownIntegrations = Effect.fnUntraced(function* (projectId: string) {
  return (yield* (yield* Targets).list(projectId)).filter(isIntegration)
})

/** Errors: 404 alike for another tenant's integration, an unknown one, a malformed id and a webhook. */
export const showIntegration = Effect.fn("integrations.show")(function* (projectId: string, integrationId: string) {
  return yield* toWire(yield* ownIntegration(projectId, integrationId))
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
  page: PageRequest,
  filter: DeliveryFilter = {}
) {
  return yield* listDeliveries((yield* ownIntegration(projectId, integrationId)).target_id, page, filter)
})

/**
 * Sends a ping once, also to a disabled integration; by mail only to addresses that have agreed.
 * The ping is not an event of the log, and does not affect the integration's health.
 *
 * Errors: 404, as for {@link showIntegration}.
 */
export const testIntegration = Effect.fn("integrations.test")(function* (projectId: string, integrationId: string) {
  const target = yield* ownIntegration(projectId, integrationId)
  return yield* sendPing(target, { kind: ping, data: { integration_id: integrationId } })
})

/**
 * Sends an event of the tenant's to an integration once more: see {@link redeliverTo}. A mail counts
 * in the hour's allowance like any other.
 *
 * Errors: 404 for the integration and for the event; 409 while the integration is disabled.
 */
export const redeliver = Effect.fn("integrations.redeliver")(function* (
  projectId: string,
  integrationId: string,
  { event_id }: RedeliverRequest
) {
  return yield* redeliverTo(yield* ownIntegration(projectId, integrationId), event_id, () =>
    Effect.fail(Conflict.integrationDisabled(integrationId))
  )
})

/** An integration as its tenant sees it, without a channel's secret address or the values of headers. */
export const toWire = Effect.fnUntraced(function* (entry: TargetEntry) {
  if (!isIntegration(entry)) return yield* Effect.die(`the target ${entry.target_id} is no integration`)
  const endpoint = entry.kind === "email" ? undefined : yield* shownEndpointOf(entry)
  const recipients = entry.kind === "email" ? yield* recipientsOf(entry) : undefined
  const now = yield* DateTime.now
  return {
    integration_id: entry.target_id,
    kind: entry.kind,
    name: entry.name ?? "",
    recipients: recipients?.map(({ address, confirmed_at }) => ({ address, confirmed_at })) ?? null,
    url: endpoint?.url ?? null,
    headers: entry.kind === "generic" ? (endpoint?.headers ?? []) : null,
    ...commonToWire(entry, now),
    previous_secret_until: previousUntil(entry, now)
  } satisfies Integration
})
