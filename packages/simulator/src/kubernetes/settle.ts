import type { World } from "../World.ts"
import { elapseClaim } from "./claims.ts"
import { collect } from "./garbage.ts"
import { observe } from "./operators/observe.ts"
import { reconcile } from "./operators/reconcile.ts"
import { elapsePod } from "./pods.ts"
import { refreshQuotas } from "./quotas.ts"
import { elapseNamespace } from "./remove.ts"
import type { KubernetesState, Thing, Timer } from "./state.ts"
import { forgetHistory, timerKey } from "./store.ts"

/** What happens to objects by themselves, by resource. It is handed the moment at which it was due. */
const elapse: Readonly<Record<string, (state: KubernetesState, thing: Thing, at: number) => void>> = {
  pods: elapsePod,
  persistentvolumeclaims: elapseClaim,
  namespaces: elapseNamespace
}

const nextDue = (state: KubernetesState, now: number): Timer | undefined =>
  Object.values(state.timers).reduce<Timer | undefined>(
    (first, _) => (_.at <= now && (first === undefined || _.at < first.at) ? _ : first),
    undefined
  )

const happen = (world: World, { at, resource, task }: Timer, thing: Thing): void => {
  const { kubernetes } = world
  if (task === "collect") return collect(kubernetes, resource, thing, at)
  const own = task === undefined ? elapse[resource] : undefined
  if (own !== undefined) return own(kubernetes, thing, at)
  reconcile(world, resource, thing, at, task)
}

/** What the controllers do after every change: quotas count, and whom it concerns is woken. */
export const followUp = (state: KubernetesState, now: number): void => {
  refreshQuotas(state, now)
  observe(state, now)
}

/** Everything that is due by now has happened, in its order. */
export const settle = (world: World, now: number): void => {
  const { kubernetes } = world
  forgetHistory(kubernetes, now)
  let { version } = kubernetes.counters
  for (let timer = nextDue(kubernetes, now); timer !== undefined;) {
    delete kubernetes.timers[timerKey(timer.uid, timer.task)]
    const thing = kubernetes.objects[timer.resource]?.[timer.key]
    if (thing?.metadata.uid === timer.uid) happen(world, timer, thing)
    const next = nextDue(kubernetes, now)
    // The controllers look once all that is due at a moment has happened.
    if (next?.at !== timer.at && kubernetes.counters.version !== version) {
      followUp(kubernetes, timer.at)
      version = kubernetes.counters.version
      timer = nextDue(kubernetes, now)
    } else {
      timer = next
    }
  }
}
