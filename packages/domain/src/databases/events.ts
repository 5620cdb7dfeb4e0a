import type { DatabaseEvent } from "@portico/contract/Databases"
import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { DateTime, Option } from "effect"
import { at, stringAt } from "./fields.ts"
import { nameOf, uidOf } from "./holdings.ts"

/** How many events a digest has at most. */
const most = 20

/**
 * What happened to the objects last, newest first, out of all events of their
 * namespace. An event is about an object by its uid, so that an earlier life of
 * the name is not mixed in.
 */
export const digestOf = (
  events: ReadonlyArray<KubernetesObject>,
  objects: ReadonlyArray<KubernetesObject>
): ReadonlyArray<DatabaseEvent> => {
  const uids = new Set(objects.map(uidOf))
  return events
    .filter((_) => uids.has(stringAt(_, "involvedObject", "uid") ?? ""))
    .map((event) => ({ name: nameOf(event), row: rowOf(event) }))
    .toSorted((a, b) => b.row.at.localeCompare(a.row.at) || a.name.localeCompare(b.name))
    .slice(0, most)
    .map((_) => _.row)
}

/** Both generations of events: those that count themselves, and those of a series. */
const rowOf = (event: KubernetesObject): DatabaseEvent => ({
  at: momentOf(
    stringAt(event, "series", "lastObservedTime") ??
      stringAt(event, "lastTimestamp") ??
      stringAt(event, "eventTime") ??
      stringAt(event, "metadata", "creationTimestamp") ??
      ""
  ),
  type: stringAt(event, "type") ?? "Normal",
  reason: stringAt(event, "reason") ?? "",
  message: stringAt(event, "message") ?? "",
  object: `${stringAt(event, "involvedObject", "kind") ?? ""}/${stringAt(event, "involvedObject", "name") ?? ""}`,
  count: countOf(at(event, "series", "count") ?? at(event, "count"))
})

const countOf = (count: unknown): number => (typeof count === "number" && Number.isInteger(count) ? count : 1)

const momentOf = (text: string): string =>
  Option.match(DateTime.make(text), { onNone: () => text, onSome: DateTime.formatIso })
