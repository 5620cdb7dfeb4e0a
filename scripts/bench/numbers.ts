/** The middle and the spread of a series. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
  /** Between these lies the middle half. */
  readonly quartiles: readonly [number, number]
  readonly samples: ReadonlyArray<number>
}

export const summaryOf = (samples: ReadonlyArray<number>): Summary => {
  const sorted = samples.map(rounded).toSorted((a, b) => a - b)
  const at = (share: number): number => {
    const place = share * (sorted.length - 1)
    const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
    return rounded(low + (high - low) * (place % 1))
  }
  return { median: at(0.5), min: at(0), max: at(1), quartiles: [at(0.25), at(0.75)], samples: samples.map(rounded) }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** Columns of equal width, the first to the left and the others to the right. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
    )
    .join("\n")
}

/** A summary as cells: median, the middle half, and the extremes. */
export const cells = ({ max, median, min, quartiles }: Summary, digits: number): ReadonlyArray<string> => [
  median.toFixed(digits),
  `${quartiles[0].toFixed(digits)} - ${quartiles[1].toFixed(digits)}`,
  `${min.toFixed(digits)} - ${max.toFixed(digits)}`
]
