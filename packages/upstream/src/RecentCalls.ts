import { Duration } from "effect"
import { boundaries, Durations } from "./MetricsRegistry.ts"

/** The time that {@link RecentCalls} looks back on, the current minute included. */
export const recentWindow = Duration.minutes(5)

const minute = Duration.toMillis(Duration.minutes(1))
const slots = Duration.toMillis(recentWindow) / minute

/** A call without an answer, or with an error of the upstream. */
export interface FailedCall {
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number
  /** One of a few fixed names, and never an address, an id or any content. */
  readonly call: string
  /** Null without an answer. */
  readonly status: number | null
}

/** The calls of the last minutes to one upstream. */
export interface Recent {
  readonly calls: number
  readonly failed: number
  /** Seconds within which half of the calls ended; null without a call. */
  readonly p50: number | null
  /** Seconds within which 95 of 100 calls ended; null without a call. */
  readonly p95: number | null
  /** The last one since the start of the process, however long ago; null for none. */
  readonly lastFailed: FailedCall | null
}

/** Counts calls in slots of a minute, which are used again. So its memory does not grow with the calls. */
export class RecentCalls {
  readonly #slots = Array.from({ length: slots }, () => ({ number: -1, failed: 0, durations: new Durations() }))
  #lastFailed: FailedCall | null = null

  /** @param failure undefined for a call that succeeded */
  add(at: number, seconds: number, failure?: Omit<FailedCall, "at">): void {
    const number = Math.floor(at / minute)
    const slot = this.#slots[number % slots]
    if (slot === undefined) return
    if (slot.number !== number) {
      slot.number = number
      slot.failed = 0
      slot.durations = new Durations()
    }
    slot.durations.add(seconds)
    if (failure === undefined) return
    slot.failed += 1
    this.#lastFailed = { at, ...failure }
  }

  at(now: number): Recent {
    const number = Math.floor(now / minute)
    const recent = this.#slots.filter((_) => _.number > number - slots && _.number <= number)
    const durations = recent.map((_) => _.durations)
    return {
      calls: durations.reduce((sum, _) => sum + _.count, 0),
      failed: recent.reduce((sum, _) => sum + _.failed, 0),
      p50: quantile(durations, 0.5),
      p95: quantile(durations, 0.95),
      lastFailed: this.#lastFailed
    }
  }
}

/** Estimates a quantile from histograms: linearly within a bucket, and within the shortest and the longest duration. */
const quantile = (histograms: ReadonlyArray<Durations>, share: number): number | null => {
  const total = histograms.reduce((sum, _) => sum + _.count, 0)
  if (total === 0) return null
  const within = (place: number) => histograms.reduce((sum, _) => sum + (_.buckets[place]?.[1] ?? 0), 0)
  const place = boundaries.findIndex((_, at) => within(at) >= share * total)
  const longest = Math.max(...histograms.map((_) => _.max))
  if (place === -1) return longest
  const [from, before] = place === 0 ? [0, 0] : [boundaries[place - 1] ?? 0, within(place - 1)]
  const to = boundaries[place] ?? longest
  const estimate = from + ((to - from) * (share * total - before)) / (within(place) - before)
  return Math.min(longest, Math.max(estimate, Math.min(...histograms.map((_) => _.min))))
}
