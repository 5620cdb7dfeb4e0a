import type { portico } from "../api/portico.ts"

export type Zone = Awaited<ReturnType<typeof portico.dns.showZone>>
export type Recordset = Awaited<ReturnType<typeof portico.dns.recordsets>>["recordsets"][number]
export const recordTypes = ["A", "AAAA", "CNAME", "TXT", "MX"] as const
export type RecordType = (typeof recordTypes)[number]

/** What a person changes of a recordset. */
export interface Content {
  readonly records: ReadonlyArray<string>
  readonly ttl: number | null
}

/** One record a line. */
export const recordsIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((_) => _.trim())
    .filter((_) => _ !== "")

/** Null for the zone's. What is no number is left to the gateway to refuse. */
export const ttlIn = (text: string): number | null => (text.trim() === "" ? null : Number(text))

/** Whether two are the same: the order of records has no meaning. */
export const isSame = (one: Content, other: Content): boolean =>
  one.ttl === other.ttl && one.records.toSorted().join("\n") === other.records.toSorted().join("\n")

export interface Difference {
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  /** The lifetimes, where they differ. */
  readonly ttl: readonly [before: number | null, after: number | null] | undefined
}

export const differenceOf = (before: Content, after: Content): Difference => ({
  added: after.records.filter((_) => !before.records.includes(_)),
  removed: before.records.filter((_) => !after.records.includes(_)),
  ttl: before.ttl === after.ttl ? undefined : [before.ttl, after.ttl]
})

/** `www` of `www.example.org.` in `example.org.`, and `@` of the zone's own name. */
export const shortName = (name: string, zone: string): string =>
  name === zone ? "@" : name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
