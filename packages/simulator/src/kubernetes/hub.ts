import { Effect } from "effect"
import type { KubernetesState } from "./state.ts"

/** The subscribers to changes of a cluster. They are not part of the saved state, because they end with the process. */
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

/** The number of changes in this process; only for {@link changedSince}. */
export const changeCount = (state: KubernetesState): number => hubOf(state).changes

/** The number of open watches and followed logs; those of disconnected clients do not count. */
export const followers = (state: KubernetesState): number => hubOf(state).waiting.size

/**
 * Announces a change that a watch or a followed log could show. Subscribers read only after the call that made
 * the change is complete, so they never see a partial change.
 */
export const announce = (state: KubernetesState): void => {
  const hub = hubOf(state)
  hub.changes += 1
  const waiting = [...hub.waiting]
  hub.waiting.clear()
  for (const wake of waiting) queueMicrotask(wake)
}

/** Waits for a change after the count was taken; returns at once if there was one. */
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
