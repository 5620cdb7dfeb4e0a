import type { Span } from "./meter.ts"

/** A calendar month in UTC. */
export interface Month extends Span {
  /** Such as `2026-01`. */
  readonly name: string
}

export const monthOf = (at: number): Month => {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { name: date.toISOString().slice(0, 7), start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) }
}

const pattern = /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/

/** Undefined for text that names no month. */
export const monthNamed = (name: string): Month | undefined =>
  pattern.test(name) ? monthOf(Date.parse(`${name}-01T00:00:00Z`)) : undefined

export const isoOf = (at: number): string => new Date(at).toISOString()
