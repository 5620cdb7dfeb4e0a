import type { ImportedSet } from "@portico/contract/Dns"
import type { DesignateRecordset, DesignateZone } from "@portico/upstream/designate/Designate"
import { comparable } from "./data.ts"
import { writableType } from "./rows.ts"
import type { FileRecord } from "./zoneFile.ts"

/** The changes that make a zone match a file. */
export interface Plan {
  readonly create: ReadonlyArray<ImportedSet>
  readonly update: ReadonlyArray<{ readonly before: DesignateRecordset; readonly after: ImportedSet }>
  readonly remove: ReadonlyArray<DesignateRecordset>
  readonly unchanged: number
  /** A name that would have an alias beside other records, which is invalid; undefined when there is none. */
  readonly aliasConflict: string | undefined
  /** The resulting numbers that limits apply to, without the sets that Designate writes itself. */
  readonly recordsets: number
  readonly records: number
}

const keyOf = ({ name, type }: { readonly name: string; readonly type: string }): string =>
  `${name.toLowerCase()} ${type}`

/** The file's records grouped by name and type. The first record's TTL applies to the whole set, as in BIND. */
const setsOf = (records: ReadonlyArray<FileRecord>): ReadonlyArray<ImportedSet> =>
  [...Map.groupBy(records, keyOf).values()].flatMap((same) => {
    const [first] = same
    return first === undefined
      ? []
      : [{ name: first.name, type: first.type, ttl: first.ttl, records: [...new Set(same.map((_) => _.data))] }]
  })

/** The zone's own SOA and NS do not count towards limits. */
const isManaged = (zone: DesignateZone, { name, type }: DesignateRecordset): boolean =>
  type === "SOA" || (type === "NS" && name === zone.name)

/**
 * Compares a zone with a file. Without `prune`, sets that the file lacks stay. Sets of types that
 * tenants cannot write always stay.
 */
export const planOf = (
  zone: DesignateZone,
  existing: ReadonlyArray<DesignateRecordset>,
  records: ReadonlyArray<FileRecord>,
  prune: boolean
): Plan => {
  const wanted = setsOf(records)
  const byKey = new Map(existing.map((_) => [keyOf(_), _] as const))
  const keys = new Set(wanted.map(keyOf))
  const create = wanted.filter((_) => !byKey.has(keyOf(_)))
  const kept = wanted.flatMap((after) => {
    const before = byKey.get(keyOf(after))
    return before === undefined ? [] : [{ before, after }]
  })
  const update = kept.filter(({ after, before }) => !isUnchanged(zone, before, after))
  const remove = prune ? existing.filter((_) => writableType(_.type) !== undefined && !keys.has(keyOf(_))) : []

  const gone = new Set(remove.map((_) => _.id))
  const left = existing.filter((_) => !gone.has(_.id))
  const counted = left.filter((_) => !isManaged(zone, _))
  const sizes = new Map(update.map((_) => [_.before.id, _.after.records.length] as const))
  return {
    create,
    update,
    remove,
    unchanged: kept.length - update.length,
    aliasConflict: aliasConflictOf([...left, ...create]),
    recordsets: counted.length + create.length,
    records:
      counted.reduce((sum, _) => sum + (sizes.get(_.id) ?? _.records.length), 0) +
      create.reduce((sum, _) => sum + _.records.length, 0)
  }
}

/** Whether a set equals the file's: the same records in any order and spelling, with the same TTL. */
const isUnchanged = (zone: DesignateZone, before: DesignateRecordset, after: ImportedSet): boolean => {
  const spelled = (records: ReadonlyArray<string>) =>
    JSON.stringify([...new Set(records.map((_) => comparable(after.type, _)))].toSorted())
  return spelled(before.records) === spelled(after.records) && (before.ttl ?? zone.ttl) === (after.ttl ?? zone.ttl)
}

const aliasConflictOf = (all: ReadonlyArray<{ readonly name: string; readonly type: string }>): string | undefined =>
  [...Map.groupBy(all, (_) => _.name.toLowerCase()).values()].find(
    (same) => same.length > 1 && same.some((_) => _.type === "CNAME")
  )?.[0]?.name
