import type { Time } from "@portico/client/engine/Time"
import { settle, until } from "@portico/testing/clock"
import { Effect } from "effect"

/** Lets everything run that waits for neither time nor anything outside the process. */
export const settled = (): Promise<void> => Effect.runPromise(settle)

/** Comes once the condition holds. */
export const soon = (condition: () => boolean): Promise<void> => Effect.runPromise(until(Effect.sync(condition)))

interface Sleeper {
  readonly end: number
  readonly millis: number
  readonly wake: () => void
}

/**
 * A clock that moves when no promise or socket can go on: to the end of the shortest pause. Random numbers are always
 * the same.
 *
 * `pauses` has those that were over, and not those that were broken off.
 */
export const fakeTime = (chance = 0.5) => {
  let now = Date.parse("2026-01-05T10:00:00Z")
  const pauses: Array<number> = []
  const sleepers = new Set<Sleeper>()
  let isPassing = false

  const first = () => [...sleepers].toSorted((a, b) => a.end - b.end)[0]

  const pass = async () => {
    if (isPassing) return
    isPassing = true
    for (let next = first(); next !== undefined; next = first()) {
      await settled()
      // One that began meanwhile may still be broken off by what comes.
      if (first() !== next) continue
      sleepers.delete(next)
      now = Math.max(now, next.end)
      pauses.push(next.millis)
      next.wake()
    }
    isPassing = false
  }

  const time: Time = {
    now: () => now,
    random: () => chance,
    sleep: (millis, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason)
        const stop = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        const wake = () => {
          signal?.removeEventListener("abort", stop)
          resolve()
        }
        const sleeper = { end: now + millis, millis, wake }
        sleepers.add(sleeper)
        signal?.addEventListener("abort", stop, { once: true })
        void pass()
      })
  }
  return { time, pauses, pass: (millis: number) => (now += millis) }
}
