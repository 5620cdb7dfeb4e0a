import type { Summary } from "../numbers.ts"

/** A number that was measured, and what it should be at least or at most. */
export interface Goal {
  readonly what: string
  readonly measured: Summary
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number }
  readonly moonshot?: boolean
}

export const isMet = ({ measured, wanted }: Goal): boolean =>
  "atLeast" in wanted ? measured.median >= wanted.atLeast : measured.median <= wanted.atMost

/** What one part of the benchmark found. */
export interface Part {
  readonly title: string
  /** The first row is the head. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly notes: ReadonlyArray<string>
  readonly goals: ReadonlyArray<Goal>
  /** For the file, by name. */
  readonly numbers: Readonly<Record<string, unknown>>
}

/** A summary in one cell: the median, and between which numbers all of them lie. */
export const cell = ({ max, median, min }: Summary, digits: number): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)} - ${max.toFixed(digits)})`

/** One series by another, round by round. */
export const ratio = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): ReadonlyArray<number> =>
  one.map((value, round) => value / (other[round] ?? Number.NaN))
