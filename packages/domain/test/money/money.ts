import type { LifecycleEvent, LifecycleKind, LifecycleResource } from "@portico/contract/Events"
import { lifecycleTopic } from "@portico/contract/Events"
import { Bus } from "@portico/domain/events/Bus"
import { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import { EventLog } from "@portico/store/EventLog"
import { Memory } from "@portico/testing/store/Memory"
import * as Upstreams from "@portico/upstream/Upstreams"
import { Clock, ConfigProvider, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Cloud, Process } from "@portico/testing/cloud/Simulated"

/**
 * What money needs of a process, over a cloud. Nothing in it wakes up by
 * itself, so that months can pass.
 */
export const Jobs = Layer.merge(Bus.layer, RunToCompletion.layer).pipe(
  Layer.provideMerge(Upstreams.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(gatewaySettings(transport.memoryUrl)))),
  Layer.provideMerge(Cloud)
)

/** A whole process, for stories with tenants. */
export const Whole = Layer.provideMerge(Bus.layer, Layer.provideMerge(Process, Cloud))

export interface Told {
  readonly kind: LifecycleKind
  readonly id: string
  readonly project?: string | null
  readonly at?: number
  readonly detail?: LifecycleEvent["data"]["detail"]
}

const resourceOf = (kind: LifecycleKind): LifecycleResource => {
  const [type = ""] = kind.split(".")
  return type === "server" || type === "volume" || type === "load_balancer" ? type : "floating_ip"
}

export const eventOf = ({ at = 0, detail = {}, id, kind, project = "acme" }: Told): LifecycleEvent => ({
  id: randomUUID(),
  topic: lifecycleTopic,
  kind,
  at: new Date(at).toISOString(),
  key: id,
  project_id: project,
  data: {
    resource_type: resourceOf(kind),
    resource_id: id,
    detail,
    user_id: "user",
    credential_id: null,
    request_id: "request"
  }
})

/** Something billable happens now, and is in the log. */
export const happens = Effect.fnUntraced(function* (...told: ReadonlyArray<Told>) {
  const now = yield* Clock.currentTimeMillis
  const events = told.map((_) => eventOf({ at: now, ..._ }))
  yield* (yield* EventLog).append(
    events.map((envelope) => ({
      id: envelope.id,
      topic: envelope.topic,
      key: envelope.key,
      at: DateTime.makeUnsafe(envelope.at),
      envelope
    }))
  )
  return events
})

/** What the ledger of the billing service holds, in the order of arrival. */
export const ledger = Effect.map(SimulatedCloud, ({ world }) => Object.values(world.billing.events).map((_) => _.id))

/** The batches that the billing service was sent, whether or not it heard of them. */
export const batches = Effect.flatMap(SimulatedCloud, ({ calls }) =>
  Effect.map(calls, (_) => _.filter((call) => call.service === "billing" && call.path === "/v1/events"))
)

/** Events of a topic that are in the log. */
export const inLog = (topic: string) =>
  Effect.map(Memory, ({ events }) => [...events.values()].filter((_) => _.topic === topic))

/** Moves the clock to a moment. */
export const goTo = (iso: string) => TestClock.setTime(Date.parse(iso))
