import type { Time } from "@portico/client/engine/Time"

/** Time that passes only in pauses, all of which are over at once, and chance that is always the same. */
export const fakeTime = (chance = 0.5) => {
  let now = Date.parse("2026-01-05T10:00:00Z")
  const pauses: Array<number> = []
  const time: Time = {
    now: () => now,
    random: () => chance,
    sleep: (millis, signal) => {
      if (signal?.aborted === true) return Promise.reject(signal.reason)
      pauses.push(millis)
      now += millis
      // Other work goes on first, as it does in a pause.
      return new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { time, pauses, pass: (millis: number) => (now += millis) }
}
