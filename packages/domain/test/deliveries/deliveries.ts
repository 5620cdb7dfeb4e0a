import { type Event, webhookTopic } from "@portico/contract/Events"
import { DeliveryCounts } from "@portico/domain/deliveries/DeliveryCounts"
import { DeliverySettings } from "@portico/domain/deliveries/DeliverySettings"
import { Dispatcher } from "@portico/domain/deliveries/Dispatcher"
import { NotSent, Senders, type Sent } from "@portico/domain/deliveries/Senders"
import { Bus } from "@portico/domain/events/Bus"
import { Tail } from "@portico/domain/events/Tail"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { type NewTarget, Targets } from "@portico/store/Targets"
import { Clock, ConfigProvider, Context, DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"

/** An attempt that a receiver saw. */
export interface Seen {
  readonly target: string
  readonly event: string
  readonly body: string
  /** Milliseconds since the story began. */
  readonly at: number
}

export type Behaviour = (event: Event) => Effect.Effect<Sent, NotSent>

export const accepts: Behaviour = () => Effect.succeed({ status: 204 })
export const refuses: Behaviour = () => Effect.fail(new NotSent({ status: 500, why: "it answered 500", gone: false }))
export const isGone: Behaviour = () => Effect.fail(new NotSent({ status: 410, why: "it answered 410", gone: true }))
export const isSilent: Behaviour = () => Effect.never

/** What stands at the other end of targets, by their ids. */
export class Receivers extends Context.Service<
  Receivers,
  { readonly seen: Array<Seen>; readonly behaves: Map<string, Behaviour> }
>()("portico/domain/test/Receivers") {}

const receivers = Layer.effect(
  Senders,
  Effect.gen(function* () {
    const { behaves, seen } = yield* Receivers
    return Senders.of({
      send: ({ target_id }, { body, event, id }) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => {
          seen.push({ target: target_id, event: id, body, at })
          return (behaves.get(target_id) ?? accepts)(event)
        })
    })
  })
).pipe(Layer.provideMerge(Layer.sync(Receivers, () => Receivers.of({ seen: [], behaves: new Map() }))))

const settings = (more: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(
    ConfigProvider.fromUnknown({ WEBHOOK_DISABLE_FAILURES: "3", WEBHOOK_DISABLE_HOURS: "1", ...more })
  )

/** The engine over receivers in memory, with a clock that the story moves. */
export const delivering = (more: Readonly<Record<string, string>> = {}) =>
  Dispatcher.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(receivers, Tail.layer, Bus.layer, DeliveryCounts.layer)),
    Layer.provideMerge(DeliverySettings.layer),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provide(settings(more))
  )

/** The engine at work until the story ends. */
export const atWork = Effect.gen(function* () {
  const { pause, round } = yield* Dispatcher
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, pause(Duration.seconds(1)))))
})

/** Lets time pass, in steps in which everything that is due happens. */
export const elapse = Effect.fnUntraced(function* (duration: Duration.Input, step: Duration.Input = "100 millis") {
  const steps = Math.ceil(
    Duration.toMillis(Duration.fromInputUnsafe(duration)) / Duration.toMillis(Duration.fromInputUnsafe(step))
  )
  for (let count = 0; count < steps; count++) {
    yield* TestClock.adjust(step)
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
  }
})

export const targetOf = Effect.fnUntraced(function* (
  projectId: string,
  behaviour: Behaviour = accepts,
  more: Partial<NewTarget> = {}
) {
  const target_id = `${projectId}-${randomUUID()}`
  yield* (yield* Targets).insert({
    target_id,
    project_id: projectId,
    kind: "webhook",
    name: null,
    settings: {},
    secrets: [],
    topics: [],
    kinds: [],
    from_sequence: 0,
    state: "active",
    created_by: "user",
    of_agent: false,
    ...more
  })
  ;(yield* Receivers).behaves.set(target_id, behaviour)
  return target_id
})

/** Something happens to a tenant. */
export const happens = Effect.fnUntraced(function* (projectId: string | null, more: Partial<Event> = {}) {
  const id = randomUUID()
  const at = DateTime.formatIso(yield* DateTime.now)
  const event = { id, topic: "alarms", kind: "alarm.state_changed", at, key: "alm-1", project_id: projectId, data: {} }
  yield* (yield* Bus).publish([{ ...event, ...more }])
  return id
})

/** What receivers saw, in order. */
export const seenBy = (target: string) => Effect.map(Receivers, ({ seen }) => seen.filter((_) => _.target === target))

export { webhookTopic }
