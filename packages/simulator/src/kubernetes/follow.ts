import { Clock, Effect, Stream } from "effect"
import { changeCount, changedSince } from "./hub.ts"
import { settle } from "./settle.ts"
import type { World } from "../World.ts"
import type { KubernetesState } from "./state.ts"

/** The new text of a followed log or a watch. */
export interface Chunk {
  readonly text: string
  /** Ends the stream after the text. */
  readonly over: boolean
}

const encoder = new TextEncoder()

/** A stream that polls after each change of the cluster, and when one is due, and emits the new text. */
export const follow = (
  world: World,
  poll: (now: number) => Chunk,
  /** Clock milliseconds of the next poll without a change. */
  alarm: (now: number) => number
): Stream.Stream<Uint8Array> =>
  Stream.unfold(
    false,
    Effect.fnUntraced(function* (over: boolean) {
      if (over) return undefined
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const state = world.kubernetes
        settle(world, now)
        const count = changeCount(state)
        const chunk = poll(now)
        if (chunk.text !== "") return [encoder.encode(chunk.text), chunk.over] as const
        if (chunk.over) return undefined
        yield* Effect.raceFirst(changedSince(state, count), sleepUntil(wakeAt(state, alarm(now))))
      }
    })
  )

/** Reads the clock again, because it may have advanced. */
const sleepUntil = (at: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(at - now, 1)))

const wakeAt = (state: KubernetesState, alarm: number): number =>
  Object.values(state.timers).reduce((soonest, { at }) => Math.min(soonest, at), alarm)
