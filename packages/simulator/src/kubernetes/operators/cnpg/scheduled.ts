import { Option, Result } from "effect"
import { objectAt, stringAt } from "../../../Json.ts"
import type { JsonObject, Thing } from "../../state.ts"
import { find, stamp } from "../../store.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { labelled, lookAgain, make, ownedBy, type Turn, writeStatus } from "../writes.ts"
import { parseSchedule, type Schedule } from "./cron.ts"
import { backups, clusterLabel, clusters, scheduledBackups, specOf, statusOf } from "./names.ts"

const parent = "cnpg.io/scheduled-backup"

/** One look at a `ScheduledBackup`: makes a `Backup` when one is due, and comes back for the next. */
export const reconcileSchedule = (turn: Turn, scheduled: Thing): void => {
  if (scheduled.metadata.deletionTimestamp !== undefined || specOf(scheduled)["suspend"] === true) return
  const { name, namespace = "" } = scheduled.metadata
  const running = labelled(turn.state, backups, namespace, parent, name).some(
    (_) => !["completed", "failed"].includes(String(statusOf(_)["phase"]))
  )
  if (running) return lookAgain(turn, scheduledBackups, scheduled, timing.scheduleRetry)
  const schedule = Option.getOrUndefined(
    Result.getSuccess(parseSchedule(stringAt(specOf(scheduled), "schedule") ?? ""))
  )
  const next = schedule?.next(turn.now)
  if (schedule === undefined || next === undefined) {
    const text = JSON.stringify(specOf(scheduled)["schedule"])
    return record(turn, scheduled, "Warning", "NoSchedule", `No time satisfying the schedule ${text} have been found`)
  }
  follow(turn, scheduled, schedule, next)
}

const spelled = (millis: number): string => `${stamp(millis).slice(0, 19).replace("T", " ")} +0000 UTC`

const follow = (turn: Turn, scheduled: Thing, schedule: Schedule, next: number): void => {
  const status = statusOf(scheduled)
  const checked = stringAt(status, "lastCheckTime")
  if (checked === undefined && specOf(scheduled)["immediate"] === true) {
    if (isOrdered(turn, scheduled)) return advance(turn, scheduled, turn.now, next)
    const words = `Scheduled immediate backup now: ${spelled(turn.now)}`
    record(turn, scheduled, "Normal", "BackupSchedule", words)
    return order(turn, scheduled, turn.now, next, true)
  }
  if (checked === undefined) {
    void writeStatus(turn, scheduledBackups, scheduled, { ...status, lastCheckTime: stamp(turn.now) })
    record(turn, scheduled, "Normal", "BackupSchedule", `Scheduled first backup by ${spelled(next)}`)
    return lookAgain(turn, scheduledBackups, scheduled, next - turn.now)
  }
  const due = schedule.next(Date.parse(checked)) ?? next
  if (turn.now < due) return lookAgain(turn, scheduledBackups, scheduled, due - turn.now)
  order(turn, scheduled, due, next, false)
}

/**
 * An immediate backup under this schedule's name is taken for its own, so that
 * it is not made again after a status that was not written. It may be left of an
 * earlier schedule of the same name.
 */
const isOrdered = (turn: Turn, scheduled: Thing): boolean => {
  const { name, namespace = "" } = scheduled.metadata
  return labelled(turn.state, backups, namespace, parent, name).some(
    (_) => _.metadata.labels?.["cnpg.io/immediateBackup"] === "true"
  )
}

const ownerOf = (turn: Turn, scheduled: Thing): ReadonlyArray<JsonObject> => {
  const cluster = find(turn.state, clusters, scheduled.metadata.namespace, clusterName(scheduled))
  const owner = specOf(scheduled)["backupOwnerReference"]
  if (owner === "self") return [ownedBy(scheduled)]
  return owner === "cluster" && cluster !== undefined ? [ownedBy(cluster)] : []
}

const clusterName = (scheduled: Thing): string => stringAt(objectAt(specOf(scheduled), "cluster"), "name") ?? ""

/** Makes the `Backup` of a moment. One that is there already was made by an earlier look. */
const order = (turn: Turn, scheduled: Thing, at: number, next: number, immediate: boolean): void => {
  const { name, namespace } = scheduled.metadata
  const { method, target } = specOf(scheduled)
  const owners = ownerOf(turn, scheduled)
  const made = make(turn, backups, {
    apiVersion: scheduled.apiVersion,
    kind: "Backup",
    metadata: {
      name: `${name}-${stamp(at).replaceAll(/[-:TZ]/g, "")}`,
      namespace,
      labels: {
        [clusterLabel]: clusterName(scheduled),
        "cnpg.io/immediateBackup": String(immediate),
        [parent]: name
      },
      ...(owners.length === 0 ? {} : { ownerReferences: owners })
    },
    spec: {
      cluster: { name: clusterName(scheduled) },
      method: method ?? "barmanObjectStore",
      ...(target === undefined ? {} : { target })
    }
  })
  if (Result.isFailure(made) && made.failure.status !== 409) {
    record(turn, scheduled, "Warning", "BackupCreation", "Error while creating backup object")
    return lookAgain(turn, scheduledBackups, scheduled, timing.scheduleRetry)
  }
  advance(turn, scheduled, at, next)
}

const advance = (turn: Turn, scheduled: Thing, at: number, next: number): void => {
  void writeStatus(turn, scheduledBackups, scheduled, {
    ...statusOf(scheduled),
    lastCheckTime: stamp(turn.now),
    lastScheduleTime: stamp(at),
    nextScheduleTime: stamp(next)
  })
  record(turn, scheduled, "Normal", "BackupSchedule", `Next backup scheduled by ${spelled(next)}`)
  lookAgain(turn, scheduledBackups, scheduled, next - turn.now)
}
