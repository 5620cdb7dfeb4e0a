import { Option, Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../../../Json.ts"
import { toSecondsUtc } from "../../../times.ts"
import type { Thing } from "../../state.ts"
import { find } from "../../store.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { labelled, requeue, make, ownedBy, type Pass, writeStatus } from "../writes.ts"
import { parseSchedule, type Schedule } from "./cron.ts"
import { backups, clusterLabel, clusters, scheduledBackups, specOf, statusOf } from "./names.ts"

const parent = "cnpg.io/scheduled-backup"

/** Reconciles a `ScheduledBackup`: creates a `Backup` when one is due, and requeues itself for the next. */
export const reconcileSchedule = (pass: Pass, scheduled: Thing): void => {
  if (scheduled.metadata.deletionTimestamp !== undefined || specOf(scheduled)["suspend"] === true) return
  const { name, namespace = "" } = scheduled.metadata
  const running = labelled(pass.state, backups, namespace, parent, name).some(
    (_) => !["completed", "failed"].includes(String(statusOf(_)["phase"]))
  )
  if (running) return requeue(pass, scheduledBackups, scheduled, timing.scheduleRetry)
  const schedule = Option.getOrUndefined(
    Result.getSuccess(parseSchedule(stringAt(specOf(scheduled), "schedule") ?? ""))
  )
  const next = schedule?.next(pass.now)
  if (schedule === undefined || next === undefined) {
    const text = JSON.stringify(specOf(scheduled)["schedule"])
    return record(pass, scheduled, "Warning", "NoSchedule", `No time satisfying the schedule ${text} have been found`)
  }
  follow(pass, scheduled, schedule, next)
}

const spelled = (millis: number): string => `${toSecondsUtc(millis).slice(0, 19).replace("T", " ")} +0000 UTC`

const follow = (pass: Pass, scheduled: Thing, schedule: Schedule, next: number): void => {
  const status = statusOf(scheduled)
  const checked = stringAt(status, "lastCheckTime")
  if (checked === undefined && specOf(scheduled)["immediate"] === true) {
    if (isOrdered(pass, scheduled)) return advance(pass, scheduled, pass.now, next)
    const message = `Scheduled immediate backup now: ${spelled(pass.now)}`
    record(pass, scheduled, "Normal", "BackupSchedule", message)
    return order(pass, scheduled, pass.now, next, true)
  }
  if (checked === undefined) {
    void writeStatus(pass, scheduledBackups, scheduled, { ...status, lastCheckTime: toSecondsUtc(pass.now) })
    record(pass, scheduled, "Normal", "BackupSchedule", `Scheduled first backup by ${spelled(next)}`)
    return requeue(pass, scheduledBackups, scheduled, next - pass.now)
  }
  const due = schedule.next(Date.parse(checked)) ?? next
  if (pass.now < due) return requeue(pass, scheduledBackups, scheduled, due - pass.now)
  order(pass, scheduled, due, next, false)
}

/**
 * An existing immediate backup with this schedule's name counts as its own, so that a lost status write creates
 * no second one. It may belong to an earlier schedule of the same name.
 */
const isOrdered = (pass: Pass, scheduled: Thing): boolean => {
  const { name, namespace = "" } = scheduled.metadata
  return labelled(pass.state, backups, namespace, parent, name).some(
    (_) => _.metadata.labels?.["cnpg.io/immediateBackup"] === "true"
  )
}

const ownerOf = (pass: Pass, scheduled: Thing): ReadonlyArray<JsonObject> => {
  const cluster = find(pass.state, clusters, scheduled.metadata.namespace, clusterName(scheduled))
  const owner = specOf(scheduled)["backupOwnerReference"]
  if (owner === "self") return [ownedBy(scheduled)]
  return owner === "cluster" && cluster !== undefined ? [ownedBy(cluster)] : []
}

const clusterName = (scheduled: Thing): string => stringAt(objectAt(specOf(scheduled), "cluster"), "name") ?? ""

/** Creates the `Backup` of a time. An earlier pass created an existing one. */
const order = (pass: Pass, scheduled: Thing, at: number, next: number, immediate: boolean): void => {
  const { name, namespace } = scheduled.metadata
  const { method, target } = specOf(scheduled)
  const owners = ownerOf(pass, scheduled)
  const made = make(pass, backups, {
    apiVersion: scheduled.apiVersion,
    kind: "Backup",
    metadata: {
      name: `${name}-${toSecondsUtc(at).replaceAll(/[-:TZ]/g, "")}`,
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
    record(pass, scheduled, "Warning", "BackupCreation", "Error while creating backup object")
    return requeue(pass, scheduledBackups, scheduled, timing.scheduleRetry)
  }
  advance(pass, scheduled, at, next)
}

const advance = (pass: Pass, scheduled: Thing, at: number, next: number): void => {
  void writeStatus(pass, scheduledBackups, scheduled, {
    ...statusOf(scheduled),
    lastCheckTime: toSecondsUtc(pass.now),
    lastScheduleTime: toSecondsUtc(at),
    nextScheduleTime: toSecondsUtc(next)
  })
  record(pass, scheduled, "Normal", "BackupSchedule", `Next backup scheduled by ${spelled(next)}`)
  requeue(pass, scheduledBackups, scheduled, next - pass.now)
}
