import type { Caller } from "@portico/contract/Access"
import { Conflict, NotFound } from "@portico/contract/Failures"
import type { RotateSecretRequest, Webhook, WebhookChange, WebhookCreate } from "@portico/contract/Webhooks"
import { freshSecret } from "@portico/contract/webhookDelivery"
import type { TargetEntry } from "@portico/store/Targets"
import { Effect } from "effect"
import { webhookUrlOf } from "../deliveries/settings.ts"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { checkedAddress } from "./endpoint.ts"
import { targetsOf } from "./targetsOf.ts"
import { commonToWire } from "./toWire.ts"
import { writtenBy } from "./written.ts"

const toWire = Effect.fnUntraced(function* (entry: TargetEntry) {
  return {
    webhook_id: entry.target_id,
    url: yield* webhookUrlOf(entry),
    description: entry.name,
    ...(yield* commonToWire(entry))
  } satisfies Webhook
})

const { change, insert, own, rotate, shared, underLease } = targetsOf({
  name: "webhook",
  absent: NotFound.webhook,
  disabled: Conflict.webhookDisabled,
  toWire
})

export const webhooks = {
  ...shared,

  /** Creates a webhook. Only this answer contains its secret. Errors: 422 for an address that nothing is sent to. */
  create: Effect.fn("webhooks.create")(function* (
    caller: Caller,
    projectId: string,
    { description, url, ...request }: WebhookCreate
  ) {
    yield* checkedAddress(url)
    const { close } = yield* TargetSecrets
    const secret = freshSecret()
    const named = { kind: "webhook", name: description ?? null, ...request } as const
    const entry = yield* insert(caller, projectId, named, (targetId) =>
      Effect.succeed({ settings: { url }, secrets: [close(targetId, secret)] })
    )
    return { ...(yield* toWire(entry)), secret }
  }),

  /**
   * Changes the fields that the request names. Errors: 422 as for `create`.
   *
   * @param caller who asks for it; absent for the platform itself
   */
  update: Effect.fn("webhooks.update")(function* (
    projectId: string,
    webhookId: string,
    { description, url, ...request }: WebhookChange,
    caller?: Caller
  ) {
    const held = yield* own(projectId, webhookId)
    if (url !== undefined) yield* checkedAddress(url)
    const wish = {
      ...request,
      ...(description === undefined ? {} : { name: description }),
      ...(url === undefined ? {} : { settings: { url } })
    }
    return yield* toWire(yield* writtenBy(caller, change(held, wish, caller)))
  }),

  /**
   * Gives a webhook a new secret. Only this answer contains it. Until the overlap ends, every event is signed with the
   * previous secret too.
   */
  rotateSecret: Effect.fn("webhooks.rotateSecret")(function* (
    projectId: string,
    webhookId: string,
    { overlap_seconds }: RotateSecretRequest
  ) {
    const { close } = yield* TargetSecrets
    const secret = freshSecret()
    const webhook = yield* underLease(projectId, webhookId, undefined, (held) =>
      rotate(held, close(webhookId, secret), overlap_seconds)
    )
    return { ...webhook, secret }
  })
}
