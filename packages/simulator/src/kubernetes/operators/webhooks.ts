import { Result } from "effect"
import { stringAt, objectAt } from "../../Json.ts"
import { type Kind, resourceOf } from "../kinds.ts"
import type { Thing } from "../state.ts"
import { type FieldError, invalidUnless, invalidValue, ok, type Step } from "../status.ts"
import { parseSchedule } from "./cnpg/cron.ts"
import { defaultedCluster } from "./cnpg/defaults.ts"
import { backups, clusters, scheduledBackups } from "./cnpg/names.ts"
import { clusterErrors } from "./cnpg/webhook.ts"

interface Webhook {
  readonly name: string
  /** The group that its refusals name; of changes upstream names another one than of creations. */
  readonly groups: readonly [create: string, update: string]
  readonly errors: (after: Thing, before: Thing | null) => ReadonlyArray<FieldError>
}

const cannotSnapshot =
  "Cannot use volumeSnapshot backup method due to missing VolumeSnapshot CRD. If you installed the CRD after having " +
  "started the operator, please restart it to enable VolumeSnapshot support"

const method = (thing: Thing): ReadonlyArray<FieldError> =>
  objectAt(thing, "spec")["method"] === "volumeSnapshot"
    ? [invalidValue("spec.method", "volumeSnapshot", cannotSnapshot)]
    : []

const scheduleErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const schedule = stringAt(objectAt(thing, "spec"), "schedule") ?? ""
  return Result.match(parseSchedule(schedule), {
    onFailure: (why) => [invalidValue("spec.schedule", schedule, why)],
    onSuccess: () => []
  })
}

const group = "postgresql.cnpg.io"

const webhooks: Readonly<Record<string, Webhook>> = {
  [clusters]: { name: "vcluster.cnpg.io", groups: [group, "cluster.cnpg.io"], errors: clusterErrors },
  [backups]: { name: "vbackup.cnpg.io", groups: [group, group], errors: method },
  [scheduledBackups]: {
    name: "vscheduledbackup.cnpg.io",
    groups: [group, "scheduledBackup.cnpg.io"],
    errors: (_) => [...scheduleErrors(_), ...method(_)]
  }
}

/** The webhooks of operators that fill in what an object leaves out. */
export const mutated = (kind: Kind, thing: Thing): Thing =>
  resourceOf(kind) === clusters ? { ...thing, ...defaultedCluster(thing) } : thing

/** The webhooks of operators that only look. The API server says which one refused, before the words of it. */
export const checkWebhooks = (kind: Kind, after: Thing, before: Thing | null): Step<void> => {
  const webhook = webhooks[resourceOf(kind)]
  if (webhook === undefined) return ok
  const errors = webhook.errors(after, before)
  const named = { kind: kind.kind, group: webhook.groups[before === null ? 0 : 1] }
  return invalidUnless(named, after.metadata.name, errors, `admission webhook "${webhook.name}" denied the request: `)
}

/** The words with which a schedule of other than six fields is let in. */
export const warningsOf = (kind: Kind, thing: Thing): ReadonlyArray<string> =>
  resourceOf(kind) === scheduledBackups &&
  (stringAt(objectAt(thing, "spec"), "schedule") ?? "").split(/\s+/).filter((_) => _ !== "").length !== 6
    ? ["Schedule parameter may not have the right number of arguments (usually six arguments are needed)"]
    : []
