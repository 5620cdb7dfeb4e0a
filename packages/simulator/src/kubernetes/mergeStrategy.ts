import type { JsonObject } from "../Json.ts"

/** The merge keys of a list's items, by the name of the list's field. */
const itemKeys: Readonly<Record<string, ReadonlyArray<string>>> = {
  containers: ["name"],
  initContainers: ["name"],
  ephemeralContainers: ["name"],
  env: ["name"],
  volumes: ["name"],
  imagePullSecrets: ["name"],
  secrets: ["name"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
  hostAliases: ["ip"],
  topologySpreadConstraints: ["topologyKey", "whenUnsatisfiable"],
  conditions: ["type"],
  ownerReferences: ["uid"]
}

const portKeys = (path: ReadonlyArray<string>): ReadonlyArray<string> =>
  path.some((_) => _.toLowerCase().endsWith("containers")) ? ["containerPort", "protocol"] : ["port", "protocol"]

/** Lists of scalars that are merged as sets. */
const sets: ReadonlySet<string> = new Set(["finalizers"])

/**
 * How the list at a path is merged: as a map by its merge keys, as a set, or not at all. Lists of custom kinds
 * are atomic.
 */
export type Merging = { readonly keys: ReadonlyArray<string> } | "set" | "atomic"

export const mergingAt = (path: ReadonlyArray<string>, custom: boolean): Merging => {
  const field = path.at(-1) ?? ""
  if (custom && path[0] !== "metadata") return "atomic"
  if (sets.has(field)) return "set"
  if (field === "ports") return { keys: portKeys(path) }
  const keys = itemKeys[field]
  return keys === undefined ? "atomic" : { keys }
}

/** Merge keys that the API defaults when an item lacks them. */
const keyDefaults: JsonObject = { protocol: "TCP" }

export const keyValue = (item: JsonObject, key: string): unknown => item[key] ?? keyDefaults[key]
