const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000]
] as const

/** How long something lasts, in its two largest units: `3 d 4 h`. */
export const lasting = (millis: number): string => {
  const parts: Array<string> = []
  let rest = Math.max(0, millis)
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
    rest -= count * size
    if (parts.length === 2) break
  }
  return parts.length === 0 ? "0 s" : parts.join(" ")
}

/** The time since a moment that the gateway names. */
export const since = (moment: string, now: number): string => lasting(now - Date.parse(moment))

/** `1.2 s`, for steps that take seconds. */
export const took = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
