/** Spans of time with the seconds between their points: some 100 to 200 points each. */
export const spans = {
  hour: { seconds: 3600, step: 30 },
  sixHours: { seconds: 6 * 3600, step: 120 },
  day: { seconds: 86_400, step: 600 },
  week: { seconds: 7 * 86_400, step: 3600 }
} as const

export type Span = keyof typeof spans

/** The beginning of a span that ends now, in whole steps: it is another one only when there is a new point. */
export const startOf = (span: Span, nowMillis: number): string => {
  const { seconds, step } = spans[span]
  const at = Math.floor(nowMillis / 1000 / step) * step - seconds
  return new Date(at * 1000).toISOString()
}

/** The figures that matter of a curve; undefined where nothing was measured. */
export const summaryOf = (values: ReadonlyArray<number | null>) => {
  const measured = values.filter((_) => _ !== null)
  const last = measured.at(-1)
  return last === undefined ? undefined : { least: Math.min(...measured), most: Math.max(...measured), last }
}
