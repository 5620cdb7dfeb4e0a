import { type JsonObject, numberAt, objectAt, objectsAt, stringAt, valueAt } from "../Json.ts"
import { definitionOf } from "./customResources.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import type { KubernetesState, Thing } from "./state.ts"

interface Column {
  readonly name: string
  readonly type: string
  /** 0 is shown always, 1 only in the wide form. */
  readonly priority?: number
  readonly cell: (thing: Thing, now: number) => unknown
}

/** As `kubectl` shows ages: the largest unit or two. */
const ageOf = (since: string | undefined, now: number): string => {
  if (since === undefined) return "<unknown>"
  const seconds = Math.max(0, Math.floor((now - new Date(since).getTime()) / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (seconds < 120) return `${seconds}s`
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  if (hours < 48) return `${hours}h`
  if (days < 8) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y${days % 365 === 0 ? "" : `${days % 365}d`}`
}

const name: Column = { name: "Name", type: "string", cell: (_) => _.metadata.name }
const age: Column = { name: "Age", type: "string", cell: (_, now) => ageOf(_.metadata.creationTimestamp, now) }

const column = (name: string, cell: (thing: Thing) => unknown, priority = 0, type = "string"): Column => ({
  name,
  type,
  priority,
  cell
})

const size = (value: unknown): number => Object.keys(objectAt(value)).length
const phase = column("Status", (_) => valueAt(_, "status", "phase") ?? "")

const podStatus = (pod: Thing): unknown => {
  if (pod.metadata.deletionTimestamp !== undefined) return "Terminating"
  return valueAt(pod, "status", "phase")
}

const replicas = (pod: string): ReadonlyArray<Column> => [
  column(
    "Ready",
    (_) => `${Number(valueAt(_, "status", "readyReplicas") ?? 0)}/${Number(valueAt(_, "spec", pod) ?? 0)}`
  )
]

const ports = (service: Thing): string =>
  objectsAt(service, "spec", "ports")
    .map((_) => `${String(_["port"])}/${String(_["protocol"] ?? "TCP")}`)
    .join(",") || "<none>"

const columns: Readonly<Record<string, ReadonlyArray<Column>>> = {
  "leases.coordination.k8s.io": [name, column("Holder", (_) => valueAt(_, "spec", "holderIdentity") ?? ""), age],
  namespaces: [name, phase, age],
  nodes: [
    name,
    column("Status", () => "Ready"),
    age,
    column("Version", (_) => valueAt(_, "status", "nodeInfo", "kubeletVersion"))
  ],
  pods: [
    name,
    column("Ready", (_) => {
      const all = objectsAt(_, "status", "containerStatuses")
      return `${all.filter((one) => one["ready"] === true).length}/${objectsAt(_, "spec", "containers").length}`
    }),
    column("Status", podStatus),
    column("Restarts", () => 0, 0, "integer"),
    age,
    column("IP", (_) => valueAt(_, "status", "podIP") ?? "<none>", 1),
    column("Node", (_) => valueAt(_, "spec", "nodeName") ?? "<none>", 1)
  ],
  services: [
    name,
    column("Type", (_) => valueAt(_, "spec", "type")),
    column("Cluster-IP", (_) => valueAt(_, "spec", "clusterIP") ?? "<none>"),
    column("External-IP", () => "<none>"),
    column("Port(s)", ports),
    age
  ],
  configmaps: [name, column("Data", (_) => size(_["data"]) + size(_["binaryData"])), age],
  secrets: [name, column("Type", (_) => _["type"]), column("Data", (_) => size(_["data"])), age],
  persistentvolumeclaims: [
    name,
    phase,
    column("Volume", (_) => valueAt(_, "spec", "volumeName") ?? ""),
    column("Capacity", (_) => valueAt(_, "status", "capacity", "storage") ?? ""),
    column("StorageClass", (_) => valueAt(_, "spec", "storageClassName") ?? ""),
    age
  ],
  events: [
    column("Last Seen", (_) => stringAt(_, "lastTimestamp") ?? "<unknown>"),
    column("Type", (_) => _["type"]),
    column("Reason", (_) => _["reason"]),
    column(
      "Object",
      (_) =>
        `${String(valueAt(_, "involvedObject", "kind")).toLowerCase()}/${String(valueAt(_, "involvedObject", "name"))}`
    ),
    column("Message", (_) => _["message"])
  ],
  "deployments.apps": [
    name,
    ...replicas("replicas"),
    column("Up-to-date", (_) => valueAt(_, "status", "updatedReplicas") ?? 0),
    column("Available", (_) => valueAt(_, "status", "availableReplicas") ?? 0),
    age
  ],
  "statefulsets.apps": [name, ...replicas("replicas"), age]
}

/** `.spec.a.b`, and `.status.conditions[?(@.type=="Ready")].status`: the paths that definitions commonly have. */
const byPath = (thing: unknown, path: string): unknown =>
  [...path.matchAll(/\.([\w-]+)|\["([^"]+)"\]|\[\?\(@\.(\w+)==["'](.*?)["']\)\]|\[(\d+)\]/g)].reduce<unknown>(
    (value, [, key, quoted, filter, wanted, index]) => {
      const name = key ?? quoted
      if (name !== undefined) return objectAt({ value }, "value")[name]
      if (!Array.isArray(value)) return undefined
      return filter === undefined ? value[Number(index)] : value.find((_) => objectAt(_)[filter] === wanted)
    },
    thing
  )

const customColumns = (state: KubernetesState, kind: Kind): ReadonlyArray<Column> => {
  const own = objectsAt(definitionOf(state, kind), "additionalPrinterColumns")
  if (own.length === 0) return [name, age]
  return [
    name,
    ...own.map((column): Column => {
      const path = stringAt(column, "jsonPath") ?? ""
      const type = stringAt(column, "type") ?? "string"
      return {
        name: stringAt(column, "name") ?? "",
        type,
        priority: numberAt(column, "priority") ?? 0,
        cell: (thing, now) => {
          const value = byPath(thing, path)
          return type === "date" ? ageOf(typeof value === "string" ? value : undefined, now) : (value ?? null)
        }
      }
    })
  ]
}

const columnsOf = (state: KubernetesState, kind: Kind): ReadonlyArray<Column> =>
  kind.custom ? customColumns(state, kind) : (columns[resourceOf(kind)] ?? [name, age])

export const partialOf = (thing: Thing): JsonObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: thing.metadata
})

/** Objects as rows for a terminal, in the form that `kubectl get` asks for. */
export const tableOf = (
  { kind, now, state }: { readonly state: KubernetesState; readonly kind: Kind; readonly now: number },
  things: ReadonlyArray<Thing>,
  metadata: JsonObject,
  includeObject: string | null
): JsonObject => {
  const shown = columnsOf(state, kind)
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: shown.map(({ name, priority = 0, type }) => ({
      name,
      type,
      format: name === "Name" ? "name" : "",
      description: "",
      priority
    })),
    rows: things.map((thing) => ({
      cells: shown.map((_) => _.cell(thing, now)),
      ...(includeObject === "None" ? {} : { object: includeObject === "Object" ? thing : partialOf(thing) })
    }))
  }
}
