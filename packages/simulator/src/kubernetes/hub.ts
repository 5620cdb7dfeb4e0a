import { Effect } from "effect"
import type { KubernetesState } from "./state.ts"

/**
 * Who waits for news of a cluster. Not a part of the state, which is saved:
 * those who wait do not outlive the process.
 */
interface Hub {
  changes: number
  readonly waiting: Set<() => void>
}

const hubs = new WeakMap<KubernetesState, Hub>()

const hubOf = (state: KubernetesState): Hub => {
  const known = hubs.get(state)
  if (known !== undefined) return known
  const made: Hub = { changes: 0, waiting: new Set() }
  hubs.set(state, made)
  return made
}

/** Counts what has happened in this process; only good for {@link changedSince}. */
export const changeCount = (state: KubernetesState): number => hubOf(state).changes

/** How many watches and followed logs wait for news at this moment: those whose client has gone do not. */
export const followers = (state: KubernetesState): number => hubOf(state).waiting.size

/**
 * To be called after each change that a watch or a followed log could show.
 * Those who wait look only once the call that changed something is through,
 * so that they never see half of what it does.
 */
export const announce = (state: KubernetesState): void => {
  const hub = hubOf(state)
  hub.changes += 1
  const waiting = [...hub.waiting]
  hub.waiting.clear()
  for (const wake of waiting) queueMicrotask(wake)
}

/** Waits until something has happened after the count was taken; at once when it already has. */
export const changedSince = (state: KubernetesState, count: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const hub = hubOf(state)
    const wake = () => resume(Effect.void)
    if (hub.changes !== count) return wake()
    hub.waiting.add(wake)
    return Effect.sync(() => {
      hub.waiting.delete(wake)
    })
  })
