import { Clock, Effect, Stream } from "effect"
import { changeCount, changedSince } from "./hub.ts"
import { settle } from "./settle.ts"
import type { World } from "../World.ts"
import type { KubernetesState } from "./state.ts"

/** What a follower has to say at one moment. */
export interface Turn {
  readonly text: string
  /** After the text, nothing more. */
  readonly over: boolean
}

const encoder = new TextEncoder()

/**
 * A stream that looks at the cluster whenever something has happened in it,
 * or is due to happen by itself, and says what is new.
 */
export const follow = (
  world: World,
  look: (now: number) => Turn,
  /** Clock milliseconds at which to look again even if nothing has happened. */
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
        const turn = look(now)
        if (turn.text !== "") return [encoder.encode(turn.text), turn.over] as const
        if (turn.over) return undefined
        yield* Effect.raceFirst(changedSince(state, count), sleepUntil(wakeAt(state, alarm(now))))
      }
    })
  )

/** The clock is read again, since it may have moved on. */
const sleepUntil = (at: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(at - now, 1)))

const wakeAt = (state: KubernetesState, alarm: number): number =>
  Object.values(state.timers).reduce((soonest, { at }) => Math.min(soonest, at), alarm)
