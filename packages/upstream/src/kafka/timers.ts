import { Predicate } from "effect"
import { createRequire } from "node:module"

interface RequestQueue {
  /** Milliseconds since the epoch; -1 when the broker has asked for no pause. */
  readonly throttledUntil: number
  readonly pending: ReadonlyArray<unknown>
  throttleCheckTimeoutId: NodeJS.Timeout | null
  checkPendingRequests(): void
}

/** As long as the library's own. */
const soon = 10

/**
 * The library arms a timer after every answer, also where nothing waits to be
 * sent, with a pause that lies in the past: a connection that is idle wakes up
 * a thousand times a second for as long as it is open. Here it arms one only
 * where something waits.
 */
export const calm = (): void => {
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
        pause > 0 ? pause : soon
      )
    }
  })
}
