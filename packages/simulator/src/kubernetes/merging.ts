/** By which keys the items of a list are told apart, by the name of the list's field. */
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

/** Lists of plain values that are merged as sets. */
const sets: ReadonlySet<string> = new Set(["finalizers"])

/**
 * How the list at a path of field names is merged: as a map by keys of its
 * items, as a set, or not at all. The lists of custom kinds are not.
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

/** Keys that the API fills in when an item lacks them. */
const keyDefaults: Readonly<Record<string, unknown>> = { protocol: "TCP" }

export const keyValue = (item: Readonly<Record<string, unknown>>, key: string): unknown => item[key] ?? keyDefaults[key]
