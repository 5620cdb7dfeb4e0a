import type { Time } from "./engine/Time.ts"
import { statusOf } from "./failure.ts"
import { pauseAfter, type Waiting, type WorkState, workStateOf } from "@portico/contract/waiting"
import { PorticoError } from "./PorticoError.ts"
import type { WaitOptions } from "./types.ts"

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

/** The state, or why it could not be read. */
type Look = WorkState & { readonly unseen?: unknown }

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
        (body) => workStateOf({ status: 200, body }, waiting),
        (error: unknown) => {
          const read =
            error instanceof PorticoError
              ? workStateOf({ status: statusOf(error), body: undefined }, waiting)
              : undefined
          if (read?.state === "gone") return read
          if (read?.state !== "unread" && (signal.aborted || !tooLate.signal.aborted)) throw error
          return { state: "unread", unseen: error } as const
        }
      )
      .finally(() => looked.abort())
  }

  const watch = async (): Promise<unknown> => {
    let last: unknown
    for (let read = 1; ; read += 1) {
      const found = await look()
      if (found.state === "gone" || found.state === "unreadable") return undefined
      if (found.state !== "unread") {
        const { state, view } = found
        last = view
        options.onProgress?.(view)
        if (state === "done") return view
        const reason = typeof view["reason"] === "string" ? `: ${view["reason"]}` : ""
        const { field } = waiting
        if (state === "failed") throw failed("work_failed", `${field} is '${String(view[field])}'${reason}`, view)
      }
      const left = timeLeft()
      if (left <= 0) throw failed("gave_up", "The work was not done in time", last, found.unseen)
      const rest = time.sleep(Math.min(left, pauseAfter(read)), signal)
      await (work.changed === undefined ? rest : Promise.race([rest, work.changed(signal)]))
    }
  }
  return watch().finally(() => over.abort())
}
