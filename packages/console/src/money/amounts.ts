/** The cents of an amount in euros as people write it: `250`, `99.50`, `99,5`. Undefined for anything else. */
export const centsOf = (text: string): number | undefined => {
  const [, euros = "", cents = ""] = /^(\d{1,10})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? []
  return euros === "" ? undefined : Number(euros) * 100 + Number(cents.padEnd(2, "0"))
}

/** The running month and those before it, in UTC, newest first: `2026-01`. */
export const lastMonths = (now: number, count: number): ReadonlyArray<string> => {
  const today = new Date(now)
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)).toISOString().slice(0, 7)
  )
}
