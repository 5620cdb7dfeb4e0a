import type { World } from "../World.ts"
import { elapseClaim } from "./claims.ts"
import { collect } from "./garbageCollection.ts"
import { hasSeenAll, observe } from "./operators/observe.ts"
import { reconcile } from "./operators/reconcile.ts"
import { elapsePod } from "./pods.ts"
import { refreshQuotas } from "./quotas.ts"
import { elapseNamespace } from "./finalization.ts"
import type { KubernetesState, Thing, Timer } from "./state.ts"
import { forgetHistory, timerKey } from "./store.ts"

/** Timed changes of objects, by resource. The function gets the due time. */
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

/** The controllers after every change: updates quotas and schedules affected objects. Most calls only read. */
export const followUp = (state: KubernetesState, now: number): void => {
  if (hasSeenAll(state)) return
  refreshQuotas(state, now)
  observe(state, now)
}

/** Applies everything that is due by now, in order. */
export const settle = (world: World, now: number): void => {
  const { kubernetes } = world
  forgetHistory(kubernetes, now)
  let { version } = kubernetes.counters
  for (let timer = nextDue(kubernetes, now); timer !== undefined;) {
    delete kubernetes.timers[timerKey(timer.uid, timer.task)]
    const thing = kubernetes.objects[timer.resource]?.[timer.key]
    if (thing?.metadata.uid === timer.uid) happen(world, timer, thing)
    const next = nextDue(kubernetes, now)
    // The controllers run once all changes of a time are applied.
    if (next?.at !== timer.at && kubernetes.counters.version !== version) {
      followUp(kubernetes, timer.at)
      version = kubernetes.counters.version
      timer = nextDue(kubernetes, now)
    } else {
      timer = next
    }
  }
}
