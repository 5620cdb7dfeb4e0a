import { Predicate } from "effect"
import { createRequire } from "node:module"

interface RequestQueue {
  /** Milliseconds since the epoch; -1 when the broker has requested no throttling. */
  readonly throttledUntil: number
  readonly pending: ReadonlyArray<unknown>
  throttleCheckTimeoutId: NodeJS.Timeout | null
  checkPendingRequests(): void
}

/** Milliseconds, the same as in the library. */
const checkInterval = 10

/**
 * Replaces a method of kafkajs. The library arms a timer after every response,
 * with a delay in the past, even when no request is pending: an idle connection
 * wakes up a thousand times a second. The replacement arms a timer only while a
 * request is pending.
 */
export const stopIdleTimers = (): void => {
  const queue: unknown = createRequire(import.meta.url)("kafkajs/src/network/requestQueue/index.js")
  if (!Predicate.isFunction(queue)) return
  Object.defineProperty(queue.prototype, "scheduleCheckPendingRequests", {
    configurable: true,
    writable: true,
    value(this: RequestQueue) {
      if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return
      const pause = this.throttledUntil - performance.timeOrigin - performance.now()
      this.throttleCheckTimeoutId = setTimeout(
        () => {
          this.throttleCheckTimeoutId = null
          this.checkPendingRequests()
        },
        pause > 0 ? pause : checkInterval
      )
    }
  })
}
