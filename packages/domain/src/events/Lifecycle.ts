import { type LifecycleData, type LifecycleEvent, type LifecycleKind, lifecycleTopic } from "@portico/contract/Events"
import { Context, DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Publisher } from "./Publisher.ts"

/** A completed change of a billable resource. */
export interface Change {
  readonly kind: LifecycleKind
  /** Null when the call does not identify a project, as an administrator's may not. */
  readonly projectId: string | null
  readonly data: LifecycleData
  /** When it happened, for a change that is recorded later. */
  readonly at?: DateTime.Utc
}

/** Publishes changes for the billing ledger in the background; see {@link Publisher}. */
export class Lifecycle extends Context.Service<
  Lifecycle,
  {
    /** Never fails and never waits. */
    record(change: Change): Effect.Effect<void>
  }
>()("portico/domain/events/Lifecycle") {
  static readonly layerNoDeps = Layer.effect(
    Lifecycle,
    Effect.map(Publisher, ({ publish }) =>
      Lifecycle.of({
        record: (change) =>
          Effect.flatMap(DateTime.now, (now) => publish(lifecycleEvent(randomUUID(), change, change.at ?? now)))
      })
    )
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Publisher.layer))
}

/** The event of a change. A publisher that may repeat it needs a reproducible id, see `eventIdOf`. */
export const lifecycleEvent = (id: string, { data, kind, projectId }: Change, at: DateTime.Utc): LifecycleEvent => ({
  id,
  topic: lifecycleTopic,
  kind,
  at: DateTime.formatIso(at),
  key: data.resource_id,
  project_id: projectId,
  data
})
