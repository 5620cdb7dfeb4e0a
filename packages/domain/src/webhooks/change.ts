import { freshSecret } from "@portico/contract/webhookDelivery"
import type { Caller } from "@portico/contract/Access"
import { tenantTopics } from "@portico/contract/Events"
import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import type { RotateSecretRequest, WebhookChange, WebhookCreate } from "@portico/contract/Webhooks"
import { EventLog } from "@portico/store/EventLog"
import { Targets } from "@portico/store/Targets"
import { Guard } from "@portico/upstream/delivery/Guard"
import { DateTime, Duration, Effect } from "effect"
import { sendsMore } from "../deliveries/targets.ts"
import { unlessAgentEnded } from "../deliveries/unlessAgentEnded.ts"
import { randomUUID } from "node:crypto"
import { exclusively } from "../exclusively.ts"
import { rotatedSecrets } from "../deliveries/secrets.ts"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { tierOf } from "../ceilings/tenantTier.ts"
import { ownWebhook, ownWebhooks, toWire } from "./read.ts"

/** How many webhooks a tenant can have. */
export const mostWebhooks = 10

/**
 * Creates a webhook. Only this answer contains its secret. Events from now on
 * are sent to it.
 *
 * Errors: 401 for an agent that was ended meanwhile; 409 with the numbers at
 * the ceiling; 422 for an address that nothing is sent to; 503 when the tier
 * cannot be read.
 */
export const createWebhook = Effect.fn("webhooks.create")(function* (
  caller: Caller,
  projectId: string,
  request: WebhookCreate
) {
  yield* checkedAddress(request.url)
  const { suspended } = yield* tierOf(projectId)
  const limit = suspended ? 0 : mostWebhooks
  const target_id = randomUUID()
  const secret = freshSecret()
  const sealed = (yield* TargetSecrets).close(target_id, secret)

  const insert = Effect.gen(function* () {
    const used = (yield* ownWebhooks(projectId)).length
    if (used + 1 > limit) return yield* Conflict.ceilingReached("webhooks", "", { requested: 1, used, limit })
    return yield* (yield* Targets).insert({
      target_id,
      project_id: projectId,
      kind: "webhook",
      name: request.description ?? null,
      settings: { url: request.url },
      secrets: [sealed],
      topics: request.topics ?? [],
      kinds: request.kinds ?? [],
      from_sequence: yield* (yield* EventLog).newest(tenantTopics),
      state: request.enabled === false ? "disabled" : "active",
      created_by: caller.userId,
      of_agent: caller.kind === "mcp"
    })
  })
  const { run } = yield* RunToCompletion
  const entry = yield* run(Effect.tap(serialised(projectId)(insert), (_) => unlessAgentEnded(caller, _)))
  return { ...toWire(entry, yield* DateTime.now), secret }
})

/**
 * Changes the fields that the request names. Disabling a webhook drops its
 * pending deliveries. A webhook that is enabled again gets the events from then
 * on.
 *
 * Errors: the same 404 for another tenant's id, an unknown one and a malformed
 * one; 422 as for {@link createWebhook}; 401 for an agent that was ended
 * meanwhile, whose webhook is disabled.
 *
 * @param caller who asks for it; absent for the platform itself
 */
export const updateWebhook = Effect.fn("webhooks.update")(function* (
  projectId: string,
  webhookId: string,
  { description, enabled, kinds, topics, url }: WebhookChange,
  caller?: Caller
) {
  yield* ownWebhook(projectId, webhookId)
  if (url !== undefined) yield* checkedAddress(url)
  const targets = yield* Targets
  const change = Effect.gen(function* () {
    const changed = yield* targets.change(projectId, webhookId, {
      ...(description === undefined ? {} : { name: description }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(topics === undefined ? {} : { topics }),
      ...(url === undefined ? {} : { settings: { url } }),
      ...(sendsMore({ enabled, kinds, topics, url }) ? { of_agent: caller?.kind === "mcp" } : {})
    })
    if (changed === undefined) return yield* NotFound.webhook(webhookId)
    const turned =
      enabled === undefined
        ? undefined
        : enabled
          ? yield* targets.enable(projectId, webhookId, yield* (yield* EventLog).newest(tenantTopics))
          : yield* targets.disable(projectId, webhookId, null)
    yield* unlessAgentEnded(caller, changed)
    return toWire(turned ?? changed, yield* DateTime.now)
  })
  return yield* (yield* RunToCompletion).run(change)
})

/**
 * Removes a webhook with its pending deliveries. Errors: the same 404 for
 * another tenant's id, an unknown one, a malformed one and a removed one.
 */
export const removeWebhook = Effect.fn("webhooks.remove")(function* (projectId: string, webhookId: string) {
  yield* ownWebhook(projectId, webhookId)
  const removed = yield* (yield* Targets).remove(projectId, webhookId)
  return toWire(removed ?? (yield* NotFound.webhook(webhookId)), yield* DateTime.now)
})

/**
 * Gives a webhook a new secret. Only this answer contains it. Until the overlap
 * ends, every event is signed with the previous secret too.
 *
 * Errors: the same 404 for another tenant's id, an unknown one and a malformed
 * one; 409 while another rotation is under way.
 */
export const rotateSecret = Effect.fn("webhooks.rotateSecret")(function* (
  projectId: string,
  webhookId: string,
  { overlap_seconds }: RotateSecretRequest
) {
  const secret = freshSecret()
  const rotated = Effect.gen(function* () {
    const { secrets } = yield* ownWebhook(projectId, webhookId)
    const sealed = (yield* TargetSecrets).close(webhookId, secret)
    const overlap = Duration.seconds(overlap_seconds)
    const entry = yield* (yield* Targets).change(projectId, webhookId, {
      secrets: rotatedSecrets(secrets, sealed, yield* DateTime.now, overlap)
    })
    return entry ?? (yield* NotFound.webhook(webhookId))
  })
  const entry = yield* serialised(projectId)(rotated)
  return { ...toWire(entry, yield* DateTime.now), secret }
})

const checkedAddress = Effect.fnUntraced(function* (url: string) {
  const refused = yield* (yield* Guard).refusalNow(url)
  if (refused !== undefined) return yield* Unprocessable.targetAddress(refused)
})

/** Serialises changes of a tenant's webhooks that depend on the existing ones. */
const serialised = (projectId: string) =>
  exclusively(`webhooks/${projectId}`, () => Conflict.concurrentChange("the tenant's webhooks"))
