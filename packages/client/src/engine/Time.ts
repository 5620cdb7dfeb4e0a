/** What depends on time and chance, so that tests and the Effect face bring their own. */
export interface Time {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Fails with the signal's reason when that aborts. */
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1, without 1. */
  readonly random: () => number
}

const sleep: Time["sleep"] = (millis, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    signal?.addEventListener("abort", stop, { once: true })
  })

export const systemTime: Time = {
  now: () => new Date().getTime(),
  sleep,
  random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
}

/** Waits for work that goes on when the signal aborts, because others wait for it too. */
export const abortable = <A>(work: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? work
    : new Promise((resolve, reject) => {
        const stop = () => reject(signal.reason)
        if (signal.aborted) stop()
        else signal.addEventListener("abort", stop, { once: true })
        // Also when nobody waits any more: a rejection that nothing handles ends a process.
        work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
      })
