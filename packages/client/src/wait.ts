import type { Time } from "./engine/Time.ts"
import { isObject, mayPass } from "./failure.ts"
import type { Waiting } from "@portico/contract/describe"
import { PorticoError } from "./PorticoError.ts"
import type { WaitOptions } from "./types.ts"

/** Pauses between two looks, in milliseconds: each is half as long again as the one before. */
const pauses = { first: 1_000, growth: 1.5, longest: 15_000 }

const usualTimeout = 30 * 60_000

/** The last look begins when the wait is over, and may take this long. */
const lastLook = 5_000

/** Timers take no more. */
const longestTimer = 2 ** 31 - 1

interface Work {
  readonly operation: string
  readonly waiting: Waiting
  readonly time: Time
  /** A look at the work. */
  readonly read: (signal: AbortSignal) => Promise<unknown>
  /** Fulfilled at the next sign that something has changed. */
  readonly changed: ((signal: AbortSignal) => Promise<unknown>) | undefined
}

/** What was looked at, or why nothing can be seen. */
type Look = { readonly view: unknown } | { readonly unseen: unknown }

/** Looks until the work is done: what it became, or undefined when it is gone. */
export const waitFor = async (work: Work, options: WaitOptions<unknown>): Promise<unknown> => {
  const { operation, time, waiting } = work
  const began = time.now()
  // What still runs when the wait is over ends with it.
  const over = new AbortController()
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal])
  const failed = (code: "gave_up" | "work_failed", detail: string, body: unknown, cause?: unknown) =>
    new PorticoError(code, { detail, status: 0, operation, body, cause })

  const timeLeft = (): number => (options.timeout ?? usualTimeout) - (time.now() - began)

  /** A gateway may never answer, or ask for long pauses between attempts: the wait is over in time all the same. */
  const look = (): Promise<Look> => {
    const [tooLate, looked] = [new AbortController(), new AbortController()]
    const timeout = Math.ceil(Math.min(longestTimer, Math.max(lastLook, timeLeft())))
    time.sleep(timeout, looked.signal).then(
      () => tooLate.abort(new DOMException("The look took too long", "TimeoutError")),
      () => undefined
    )
    return work
      .read(AbortSignal.any([signal, tooLate.signal]))
      .then(
        (view) => ({ view }),
        (error: unknown) => {
          if (waiting.gone === true && error instanceof PorticoError && error.status === 404) return { view: undefined }
          if (!mayPass(error) && (signal.aborted || !tooLate.signal.aborted)) throw error
          return { unseen: error }
        }
      )
      .finally(() => looked.abort())
  }

  const watch = async (): Promise<unknown> => {
    let last: unknown
    for (let pause = pauses.first; ; pause = Math.min(pauses.longest, pause * pauses.growth)) {
      const seen = await look()
      if ("view" in seen) {
        const { view } = seen
        if (!isObject(view)) return undefined
        last = view
        options.onProgress?.(view)
        const state = String(view[waiting.field])
        if (waiting.done.includes(state)) return view
        const reason = typeof view["reason"] === "string" ? `: ${view["reason"]}` : ""
        if (waiting.failed.includes(state)) throw failed("work_failed", `${waiting.field} is '${state}'${reason}`, view)
      }
      const left = timeLeft()
      const unseen = "unseen" in seen ? seen.unseen : undefined
      if (left <= 0) throw failed("gave_up", "The work was not done in time", last, unseen)
      const rest = time.sleep(Math.min(left, pause), signal)
      await (work.changed === undefined ? rest : Promise.race([rest, work.changed(signal)]))
    }
  }
  return watch().finally(() => over.abort())
}
