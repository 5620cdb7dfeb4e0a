import type { Refusal } from "../api/refusal.ts"

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
