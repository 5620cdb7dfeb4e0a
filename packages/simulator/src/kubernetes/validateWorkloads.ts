import { isObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../Json.ts"
import { parseQuantity } from "./quantity.ts"
import { matchesLabels } from "./selectors.ts"
import type { Thing } from "./state.ts"
import {
  type FieldError,
  forbiddenValue,
  invalidIf,
  invalidValue,
  notNegative,
  notSupported,
  required,
  requiredIf
} from "./status.ts"
import { label, labelRule } from "./validateContents.ts"

const resourceErrors = (path: string, container: JsonObject): ReadonlyArray<FieldError> => {
  const requests = objectAt(container, "resources", "requests")
  const limits = objectAt(container, "resources", "limits")
  return Object.entries(requests).flatMap(([name, request]) => {
    const limit = limits[name]
    const [a, b] = [parseQuantity(request), parseQuantity(limit)]
    return invalidIf(
      a !== undefined && b !== undefined && a.milli > b.milli,
      `${path}.resources.requests`,
      request,
      `must be less than or equal to ${name} limit of ${String(limit)}`
    )
  })
}

const containerErrors = (path: string, container: JsonObject): ReadonlyArray<FieldError> => {
  const name = stringAt(container, "name") ?? ""
  return [
    ...requiredIf(name === "", `${path}.name`),
    ...invalidIf(name !== "" && !label.test(name), `${path}.name`, name, labelRule),
    ...requiredIf((stringAt(container, "image") ?? "") === "", `${path}.image`),
    ...resourceErrors(path, container)
  ]
}

const policies = ["Always", "OnFailure", "Never"]

const podSpecErrors = (path: string, spec: JsonObject): ReadonlyArray<FieldError> => {
  const containers = objectsAt(spec, "containers")
  const policy = stringAt(spec, "restartPolicy") ?? ""
  return [
    ...requiredIf(containers.length === 0, `${path}.containers`),
    ...containers.flatMap((_, index) => containerErrors(`${path}.containers[${index}]`, _)),
    ...(policies.includes(policy) ? [] : [notSupported(`${path}.restartPolicy`, policy, policies)]),
    ...hostnameErrors(`${path}.hostname`, stringAt(spec, "hostname") ?? "")
  ]
}

/** A host name is a DNS label of RFC 1123. */
const hostnameErrors = (path: string, hostname: string): ReadonlyArray<FieldError> =>
  hostname === ""
    ? []
    : [
        ...invalidIf(!label.test(hostname), path, hostname, labelRule),
        ...invalidIf(hostname.length > 63, path, hostname, "must be no more than 63 characters")
      ]

const templateErrors = (path: string, template: JsonObject): ReadonlyArray<FieldError> =>
  podSpecErrors(`${path}.spec`, objectAt(template, "spec"))

const alwaysRuns = (path: string, template: JsonObject): ReadonlyArray<FieldError> => {
  const spec = objectAt(template, "spec")
  const policy = stringAt(spec, "restartPolicy") ?? ""
  return [
    ...(policies.includes(policy) && policy !== "Always"
      ? [notSupported(`${path}.spec.restartPolicy`, policy, ["Always"])]
      : []),
    ...(spec["activeDeadlineSeconds"] === undefined
      ? []
      : [forbiddenValue(`${path}.spec.activeDeadlineSeconds`, "activeDeadlineSeconds in ReplicaSet is not Supported")])
  ]
}

const isEmpty = (selector: JsonObject): boolean =>
  Object.keys(objectAt(selector, "matchLabels")).length + objectsAt(selector, "matchExpressions").length === 0

/** A Deployment, a ReplicaSet, a StatefulSet or a DaemonSet: a selector, and a template that it matches. */
const workloadErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const given = spec["selector"]
  const selector = isObject(given) ? given : undefined
  const template = objectAt(spec, "template")
  const labels = objectAt(template, "metadata")["labels"] ?? null
  const strings = Object.fromEntries(Object.entries(objectAt({ labels }, "labels")).map(([key, _]) => [key, String(_)]))
  const path = "spec.template"
  return [
    ...notNegative("spec.replicas", numberAt(spec, "replicas")),
    ...requiredIf(selector === undefined, "spec.selector"),
    ...invalidIf(
      selector !== undefined && isEmpty(selector),
      "spec.selector",
      selector,
      `empty selector is invalid for ${thing.kind.toLowerCase()}`
    ),
    ...invalidIf(
      selector === undefined || !matchesLabels(selector, strings),
      `${path}.metadata.labels`,
      labels,
      "`selector` does not match template `labels`"
    ),
    ...templateErrors(path, template),
    ...alwaysRuns(path, template),
    ...notNegative("spec.minReadySeconds", numberAt(spec, "minReadySeconds")),
    ...notNegative("spec.revisionHistoryLimit", numberAt(spec, "revisionHistoryLimit"))
  ]
}

const jobErrors = (path: string, spec: JsonObject): ReadonlyArray<FieldError> => {
  const template = objectAt(spec, "template")
  return [
    ...["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"].flatMap((_) =>
      notNegative(`${path}.${_}`, numberAt(spec, _))
    ),
    ...templateErrors(`${path}.template`, template),
    ...(stringAt(objectAt(template, "spec"), "restartPolicy") === "Always"
      ? [required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]
      : [])
  ]
}

const concurrency = ["Allow", "Forbid", "Replace"]

const cronJobErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const schedule = stringAt(spec, "schedule") ?? ""
  const words = schedule.split(/\s+/).filter((_) => _ !== "")
  const policy = stringAt(spec, "concurrencyPolicy") ?? ""
  return [
    ...requiredIf(schedule === "", "spec.schedule"),
    ...invalidIf(
      schedule !== "" && !schedule.startsWith("@") && words.length !== 5,
      "spec.schedule",
      schedule,
      `expected exactly 5 fields, found ${words.length}: [${words.join(" ")}]`
    ),
    ...notNegative("spec.startingDeadlineSeconds", numberAt(spec, "startingDeadlineSeconds")),
    ...(concurrency.includes(policy) ? [] : [notSupported("spec.concurrencyPolicy", policy, concurrency)]),
    ...jobErrors("spec.jobTemplate.spec", objectAt(spec, "jobTemplate", "spec")),
    ...notNegative("spec.successfulJobsHistoryLimit", numberAt(spec, "successfulJobsHistoryLimit")),
    ...notNegative("spec.failedJobsHistoryLimit", numberAt(spec, "failedJobsHistoryLimit"))
  ]
}

const budgetErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const { maxUnavailable, minAvailable, selector, unhealthyPodEvictionPolicy } = objectAt(thing, "spec")
  const both = minAvailable !== undefined && maxUnavailable !== undefined
  // As Go writes the internal type.
  const spec = {
    MinAvailable: minAvailable,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null
  }
  return [
    ...invalidIf(both, "spec", spec, "minAvailable and maxUnavailable cannot be both set"),
    ...notNegative("spec.minAvailable", minAvailable),
    ...notNegative("spec.maxUnavailable", maxUnavailable)
  ]
}

const autoscalerErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const [least, most] = [numberAt(spec, "minReplicas") ?? 1, numberAt(spec, "maxReplicas") ?? 0]
  const target = objectAt(spec, "scaleTargetRef")
  return [
    ...invalidIf(least < 1, "spec.minReplicas", least, "must be greater than or equal to 1"),
    ...(most < 1 ? [invalidValue("spec.maxReplicas", most, "must be greater than 0")] : []),
    ...invalidIf(most < least, "spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"),
    ...requiredIf(!target["kind"], "spec.scaleTargetRef.kind"),
    ...requiredIf(!target["name"], "spec.scaleTargetRef.name")
  ]
}

const leaseErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const [seconds, transitions] = [numberAt(spec, "leaseDurationSeconds"), numberAt(spec, "leaseTransitions")]
  return [
    ...invalidIf((seconds ?? 1) <= 0, "spec.leaseDurationSeconds", seconds, "must be greater than 0"),
    ...invalidIf((transitions ?? 0) < 0, "spec.leaseTransitions", transitions, "must be greater than or equal to 0")
  ]
}

/** What must hold of what runs containers, and of what watches over it. */
export const workloads: Readonly<Record<string, (thing: Thing) => ReadonlyArray<FieldError>>> = {
  pods: (_) => podSpecErrors("spec", objectAt(_, "spec")),
  "deployments.apps": workloadErrors,
  "statefulsets.apps": workloadErrors,
  "replicasets.apps": workloadErrors,
  "daemonsets.apps": workloadErrors,
  "jobs.batch": (_) => jobErrors("spec", objectAt(_, "spec")),
  "cronjobs.batch": cronJobErrors,
  "poddisruptionbudgets.policy": budgetErrors,
  "horizontalpodautoscalers.autoscaling": autoscalerErrors,
  "leases.coordination.k8s.io": leaseErrors
}
