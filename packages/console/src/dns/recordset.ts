import type { portico } from "../api/portico.ts"
import type { Refusal } from "../api/refusal.ts"

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

/** What is said of a field, or of one of its parts such as `records.0`. */
const ofField = (refusal: Refusal | undefined, field: string): string | undefined =>
  Object.entries(refusal?.fields ?? {}).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]

const ofCode = (refusal: Refusal | undefined, code: string): string | undefined =>
  refusal?.code === code ? refusal.detail : undefined

export const nameRefused = (refusal: Refusal | undefined): string | undefined =>
  ofField(refusal, "name") ?? ofCode(refusal, "dns_name_refused")

export const recordsRefused = (refusal: Refusal | undefined): string | undefined =>
  ofField(refusal, "records") ?? ofCode(refusal, "dns_records_refused")

export const ttlRefused = (refusal: Refusal | undefined): string | undefined => ofField(refusal, "ttl")

/** Wrong lines are named by their numbers, the first of them here. */
export const zonefileRefused = (refusal: Refusal | undefined): string | undefined => ofField(refusal, "zonefile")
