import { elapseClaim } from "./claims.ts"
import { elapsePod } from "./pods.ts"
import { refreshQuotas } from "./quotas.ts"
import { elapseNamespace } from "./remove.ts"
import type { KubernetesState, Thing, Timer } from "./state.ts"
import { forgetHistory } from "./store.ts"

/** What happens to objects by themselves, by resource. It is handed the moment at which it was due. */
const elapse: Readonly<Record<string, (state: KubernetesState, thing: Thing, at: number) => void>> = {
  pods: elapsePod,
  persistentvolumeclaims: elapseClaim,
  namespaces: elapseNamespace
}

const nextDue = (state: KubernetesState, now: number): Timer | undefined =>
  Object.values(state.timers)
    .filter((_) => _.at <= now)
    .toSorted((a, b) => a.at - b.at)[0]

/** Everything that is due by now has happened, in its order. */
export const settle = (state: KubernetesState, now: number): void => {
  forgetHistory(state, now)
  for (let timer = nextDue(state, now); timer !== undefined; timer = nextDue(state, now)) {
    delete state.timers[timer.uid]
    const thing = state.objects[timer.resource]?.[timer.key]
    if (thing?.metadata.uid === timer.uid) elapse[timer.resource]?.(state, thing, timer.at)
    refreshQuotas(state, timer.at)
  }
}
