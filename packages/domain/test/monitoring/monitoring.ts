import type { AlarmCreate } from "@portico/contract/Alarms"
import { type AlarmTimes, reconcileAlarms } from "@portico/domain/alarms/reconcile"
import { createAlarm } from "@portico/domain/alarms/change"
import { running } from "@portico/simulator/nova/running"
import type { Reading } from "@portico/simulator/prometheus/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

/** A server that runs in the project since the epoch, by its id. */
export const serverOf = Effect.fnUntraced(function* (project_id: string, number: number) {
  const { world } = yield* SimulatedCloud
  const id = idOf(number)
  world.nova.servers[id] = running(id, project_id)
  return id
})

/** From now on this is measured of the instance's processors. */
export const cpuIs = Effect.fnUntraced(function* (instance_id: string, value: Reading["value"]) {
  const { world } = yield* SimulatedCloud
  const from = yield* Clock.currentTimeMillis
  const key = String(Object.keys(world.monitoring.readings).length)
  world.monitoring.readings[key] = { metric: "portico:instance_cpu:percent", labels: { instance_id }, from, value }
})

export const times: AlarmTimes = { interval: Duration.seconds(60), grace: Duration.seconds(300) }

/** What every alarm here looks at, unless it says otherwise: more than 80 percent for a minute. */
export const hot = (instance_id: string): AlarmCreate["rule"] => ({
  metric: "cpu",
  instance_id,
  comparison: "gt",
  threshold: 80
})

/** An alarm that nobody has looked at yet, by its id. */
export const alarmOf = Effect.fnUntraced(function* (
  projectId: string,
  request: Pick<AlarmCreate, "rule"> & Partial<AlarmCreate>
) {
  return (yield* inTime(createAlarm(callerOf(projectId), projectId, { name: "hot", ...request }))).alarm_id
})

/** So many minutes pass, and the alarms are looked at after each of them. */
export const minutes = Effect.fnUntraced(function* (count: number) {
  for (let minute = 0; minute < count; minute++) {
    yield* TestClock.adjust("60 seconds")
    yield* inTime(reconcileAlarms(times), "100 millis")
  }
})

/** The transitions that were told, in order. */
export const transitions = Effect.map(Memory, ({ events }) =>
  [...events.values()].filter((_) => _.topic === "alarms").map((_) => _.envelope)
)

/** Every question to the monitoring fails so, until the faults are cleared. */
export const blind = Effect.fnUntraced(function* (as: "reset" | "hang" | "garbage" | { readonly status: number }) {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault({ service: "prometheus", method: "POST", path: "/**", times: "always", when: "before", as })
})

/** How often the effect asks each system. */
export const asking = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  yield* effect
  const calls = yield* cloud.calls
  return Object.fromEntries([...Map.groupBy(calls, (_) => _.service)].map(([service, all]) => [service, all.length]))
})
