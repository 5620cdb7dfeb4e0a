import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../../Json.ts"
import { formatQuantity, parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import { type FieldError, invalidIf, invalidValue, requiredIf } from "../../status.ts"
import { majorOf, specOf, tagOf, wantedInstances } from "./names.ts"
import { isTargetTime } from "./recoveryTarget.ts"

/** Names that the services of a cluster are made of. */
const name = ({ metadata }: Thing): ReadonlyArray<FieldError> => [
  ...invalidIf(
    !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(metadata.name),
    "metadata.name",
    metadata.name,
    "cluster name must be a valid DNS label"
  ),
  ...invalidIf(
    metadata.name.length > 50,
    "metadata.name",
    metadata.name,
    "the maximum length of a cluster name is 50 characters"
  )
]

const application = (cluster: Thing, how: "initdb" | "recovery"): ReadonlyArray<FieldError> => {
  const given = objectAt(specOf(cluster), "bootstrap", how)
  const [database, owner] = [stringAt(given, "database") ?? "", stringAt(given, "owner") ?? ""]
  const path = `spec.bootstrap.${how}`
  return [
    ...invalidIf(database !== "" && owner === "", `${path}.owner`, "", "You need to specify the database owner user"),
    ...invalidIf(database === "" && owner !== "", `${path}.database`, "", "You need to specify the database name")
  ]
}

const bootstrapMethod = (cluster: Thing): ReadonlyArray<FieldError> => {
  const bootstrap = objectAt(specOf(cluster), "bootstrap")
  const methods = ["initdb", "recovery", "pg_basebackup"].filter((_) => bootstrap[_] !== undefined)
  return invalidIf(methods.length > 1, "spec.bootstrap", "", "Too many bootstrap types specified")
}

const imageName = (cluster: Thing): ReadonlyArray<FieldError> => {
  const image = stringAt(specOf(cluster), "imageName") ?? ""
  if (image === "") return []
  const wrong = (why: string) => [invalidValue("spec.imageName", image, why)]
  const tag = tagOf(image)
  if (tag === "latest" || (tag === "" && !image.includes("@"))) {
    return wrong("Can't use 'latest' as image tag as we can't detect upgrades")
  }
  if (tag === "") return wrong("Can't use just the image sha as we can't detect upgrades")
  const major = majorOf(image)
  if (major === undefined) return wrong("invalid version tag")
  return major < 12 ? wrong("Unsupported PostgreSQL version. Versions 12 or newer are supported") : []
}

const targets = ["targetImmediate", "targetLSN", "targetName", "targetXID", "targetTime"]

const recoveryTarget = (cluster: Thing): ReadonlyArray<FieldError> => {
  const target = objectAt(specOf(cluster), "bootstrap", "recovery", "recoveryTarget")
  const path = "spec.bootstrap.recovery.recoveryTarget"
  const given = targets.filter((_) => target[_] !== undefined && target[_] !== "")
  const time = stringAt(target, "targetTime") ?? ""
  const labelled = given.some((_) => ["targetImmediate", "targetName", "targetXID"].includes(_))
  return [
    ...invalidIf(given.length > 1, path, target, "Recovery target options are mutually exclusive"),
    ...invalidIf(time !== "" && !isTargetTime(time), path, time, "The format of TargetTime is invalid"),
    ...requiredIf(labelled && !stringAt(target, "backupID"), path, "BackupID is missing")
  ]
}

const storageSize = (cluster: Thing): ReadonlyArray<FieldError> => {
  const size = stringAt(objectAt(specOf(cluster), "storage"), "size") ?? ""
  const why =
    size === ""
      ? "Size not configured. Please add it, or a storage request in the pvcTemplate."
      : "Size value isn't valid"
  return invalidIf(parseQuantity(size) === undefined, "spec.storage.size", size, why)
}

const externalClusters = (cluster: Thing): ReadonlyArray<JsonObject> => objectsAt(specOf(cluster), "externalClusters")

const recoverySource = (cluster: Thing): ReadonlyArray<FieldError> => {
  const source = stringAt(objectAt(specOf(cluster), "bootstrap", "recovery"), "source") ?? ""
  if (source === "") return []
  const found = externalClusters(cluster).find((_) => _["name"] === source)
  const wrong = (why: string) =>
    invalidValue("spec.bootstrap.recovery.source", source, `External cluster ${source} ${why}`)
  const usable = found?.["barmanObjectStore"] !== undefined || found?.["plugin"] !== undefined
  return [
    ...(found === undefined ? [wrong("not found")] : []),
    ...(usable ? [] : [wrong("cannot be used for recovery: both Barman and CNPG-i plugin configurations are missing")])
  ]
}

const sources = (cluster: Thing): ReadonlyArray<FieldError> => {
  const all = externalClusters(cluster)
  const kinds = ["connectionParameters", "barmanObjectStore", "plugin"]
  const why = "one of connectionParameters, plugin and barmanObjectStore is required"
  const names = new Set(all.map((_) => _["name"]))
  return [
    ...all.flatMap((_, index) =>
      invalidIf(!kinds.some((kind) => _[kind] !== undefined), `spec.externalClusters[${index}]`, _, why)
    ),
    ...invalidIf(
      names.size < all.length,
      "spec.externalClusters",
      all,
      "the list of external clusters contains duplicate values"
    )
  ]
}

const credentials = ["azureCredentials", "s3Credentials", "googleCredentials"]

const backup = (cluster: Thing): ReadonlyArray<FieldError> => {
  const given = objectAt(specOf(cluster), "backup")
  const store = objectAt(given, "barmanObjectStore")
  const policy = stringAt(given, "retentionPolicy") ?? ""
  const count = credentials.filter((_) => store[_] !== undefined).length
  const wrongCount =
    `${count === 0 ? "missing" : "too many"} credentials. One and only one of azureCredentials, s3Credentials and ` +
    "googleCredentials are required"
  return [
    ...invalidIf(
      given["barmanObjectStore"] !== undefined && count !== 1,
      "spec.backup.barmanObjectStore",
      store,
      wrongCount
    ),
    ...invalidIf(
      policy !== "" && !/^[1-9][0-9]*[dwm]$/.test(policy),
      "spec.backup.retentionPolicy",
      policy,
      "not a valid retention policy"
    )
  ]
}

const synchronous = (cluster: Thing): ReadonlyArray<FieldError> => {
  const postgresql = objectAt(specOf(cluster), "postgresql")
  if (postgresql["synchronous"] === undefined || postgresql["synchronous"] === null) return []
  const given = objectAt(postgresql, "synchronous")
  const named = ["standbyNamesPre", "standbyNamesPost"].reduce((sum, _) => sum + countOf(given[_]), 0)
  return invalidIf(
    (numberAt(given, "number") ?? 0) >= wantedInstances(cluster) + named,
    "spec.postgresql.synchronous",
    given,
    "Invalid synchronous configuration: the number of synchronous replicas must be less than the total number of " +
      "instances and the provided standby names."
  )
}

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

const reserved = /^(CNPG_|PG)|^(POD_NAME|NAMESPACE|CLUSTER_NAME)$/

const env = (cluster: Thing): ReadonlyArray<FieldError> =>
  objectsAt(specOf(cluster), "env").flatMap((_, index) => {
    const variable = stringAt(_, "name") ?? ""
    const why = "the usage of this environment variable is reserved for the operator"
    return invalidIf(reserved.test(variable.toUpperCase()), `spec.postgresql.env[${index}].name`, variable, why)
  })

const updateStrategy = (cluster: Thing): ReadonlyArray<FieldError> =>
  invalidIf(
    specOf(cluster)["primaryUpdateStrategy"] === "supervised" && wantedInstances(cluster) === 1,
    "spec.primaryUpdateStrategy",
    "supervised",
    "supervised update strategy is not allowed for clusters with a single instance"
  )

const rules: ReadonlyArray<(cluster: Thing) => ReadonlyArray<FieldError>> = [
  (_) => application(_, "initdb"),
  (_) => application(_, "recovery"),
  bootstrapMethod,
  imageName,
  recoveryTarget,
  updateStrategy,
  storageSize,
  name,
  recoverySource,
  sources,
  backup,
  synchronous,
  env
]

const image = (before: Thing, after: Thing): ReadonlyArray<FieldError> => {
  const [was, is] = [before, after].map((_) => stringAt(specOf(_), "imageName") ?? "")
  const [from, to] = [majorOf(was ?? ""), majorOf(is ?? "")]
  return from === undefined || to === undefined || from <= to
    ? []
    : [invalidValue("spec.imageName", is, `can't downgrade from majors ${from} to ${to}`)]
}

const shrinking = (before: Thing, after: Thing): ReadonlyArray<FieldError> => {
  const [was, is] = [before, after].map((_) => parseQuantity(objectAt(specOf(_), "storage")["size"]))
  if (was === undefined || is === undefined || was.milli <= is.milli) return []
  const [from, to] = [formatQuantity(was), formatQuantity(is)]
  return [invalidValue("spec.storage", to, `can't shrink existing storage from ${from} to ${to}`)]
}

const fixedIds = (before: Thing, after: Thing): ReadonlyArray<FieldError> =>
  (["postgresGID", "postgresUID"] as const).flatMap((key) =>
    invalidIf(
      specOf(before)[key] !== specOf(after)[key],
      `spec.${key}`,
      specOf(after)[key],
      `${key.slice(-3)} is an immutable field in the spec`
    )
  )

/** The errors of the operator's webhook `vcluster.cnpg.io` for a new or changed `Cluster`. */
export const clusterErrors = (after: Thing, before: Thing | null): ReadonlyArray<FieldError> => [
  ...rules.flatMap((rule) => rule(after)),
  ...(before === null ? [] : [image, shrinking, fixedIds].flatMap((rule) => rule(before, after)))
]
