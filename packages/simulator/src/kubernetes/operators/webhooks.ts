import { Result } from "effect"
import { objectAt, stringAt, valueAt } from "../../Json.ts"
import type { Step } from "../../Wire.ts"
import { type Kind, resourceOf } from "../kinds.ts"
import type { Thing } from "../state.ts"
import { type FieldError, invalidIf, invalidUnless, invalidValue } from "../status.ts"
import { parseSchedule } from "./cnpg/cron.ts"
import { defaultedCluster } from "./cnpg/defaults.ts"
import { backups, clusters, scheduledBackups } from "./cnpg/names.ts"
import { clusterErrors } from "./cnpg/webhook.ts"

interface Webhook {
  readonly name: string
  /** The API group in its refusals; upstream updates have another one than creates. */
  readonly groups: readonly [create: string, update: string]
  readonly errors: (after: Thing, before: Thing | null) => ReadonlyArray<FieldError>
}

const cannotSnapshot =
  "Cannot use volumeSnapshot backup method due to missing VolumeSnapshot CRD. If you installed the CRD after having " +
  "started the operator, please restart it to enable VolumeSnapshot support"

const method = (thing: Thing): ReadonlyArray<FieldError> =>
  invalidIf(valueAt(thing, "spec", "method") === "volumeSnapshot", "spec.method", "volumeSnapshot", cannotSnapshot)

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

/** Mutating webhooks of the operators. */
export const mutated = (kind: Kind, thing: Thing): Thing =>
  resourceOf(kind) === clusters ? { ...thing, ...defaultedCluster(thing) } : thing

/** Validating webhooks of the operators. The API server puts the webhook's name before its message. */
export const checkWebhooks = (kind: Kind, after: Thing, before: Thing | null): Step<void> => {
  const webhook = webhooks[resourceOf(kind)]
  if (webhook === undefined) return Result.void
  const errors = webhook.errors(after, before)
  const named = { kind: kind.kind, group: webhook.groups[before === null ? 0 : 1] }
  return invalidUnless(named, after.metadata.name, errors, `admission webhook "${webhook.name}" denied the request: `)
}

/** The warning for a schedule without six fields. */
export const warningsOf = (kind: Kind, thing: Thing): ReadonlyArray<string> =>
  resourceOf(kind) === scheduledBackups &&
  (stringAt(objectAt(thing, "spec"), "schedule") ?? "").split(/\s+/).filter((_) => _ !== "").length !== 6
    ? ["Schedule parameter may not have the right number of arguments (usually six arguments are needed)"]
    : []
