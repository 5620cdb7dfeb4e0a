import { PorticoError } from "../PorticoError.ts"
import type { RetryOptions } from "../types.ts"
import type { Time } from "./Time.ts"

/** One request that can be sent any number of times, and what is known of it. */
export interface Repeatable {
  readonly send: () => Promise<Response>
  readonly signal: AbortSignal | undefined
  /** A stream as body is gone after the first attempt. */
  readonly again: "never" | "when nothing was done" | "always"
  readonly hasKey: boolean
}

const defaults = { times: 4, baseMillis: 250, maxMillis: 60_000, inFlightMillis: 120_000 }

/** Seconds, or a date (RFC 9110, section 10.2.3). */
export const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const given = headers.get("retry-after")
  if (given === null) return undefined
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - now) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** `transient: false` says that the upstream would refuse again. */
const isFinal = async (response: Response): Promise<boolean> => {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === "object" && body !== null && "transient" in body && body.transient === false
}

type Verdict = "done" | "again" | "in flight"

const verdictOf = async ({ again, hasKey }: Repeatable, response: Response): Promise<Verdict> => {
  const { headers, status } = response
  if (again === "never" || status < 400) return "done"
  // Refused before anything was done, so that it does not matter what the call does.
  if (status === 408 || status === 429) return "again"
  if (again === "when nothing was done") return "done"
  if (status === 409 && hasKey && headers.has("retry-after")) return "in flight"
  if (status === 502) return (await isFinal(response)) ? "done" : "again"
  return status === 503 || status === 504 ? "again" : "done"
}

interface Failed {
  readonly error: unknown
}

/** The answer of the last attempt. */
export const repeated = async (request: Repeatable, options: RetryOptions, time: Time): Promise<Response> => {
  const { baseMillis, inFlightMillis, maxMillis, times } = { ...defaults, ...defined(options) }
  const began = time.now()
  let tried = 0
  for (;;) {
    const outcome: Response | Failed = await request.send().catch((error: unknown) => ({ error }))
    request.signal?.throwIfAborted()
    if ("error" in outcome) {
      // A refused login is refused the next time too.
      const isOver = outcome.error instanceof PorticoError || request.again !== "always" || tried >= times
      if (isOver) throw outcome.error
    } else {
      const verdict = await verdictOf(request, outcome)
      const asked = (retryAfterOf(outcome.headers, time.now()) ?? 0) * 1000
      const spent = verdict === "in flight" ? time.now() - began + asked >= inFlightMillis : tried >= times
      if (verdict === "done" || spent || asked > maxMillis) return outcome
      await outcome.body?.cancel()
      if (verdict === "in flight") {
        await time.sleep(asked + time.random() * baseMillis, request.signal)
        continue
      }
    }
    const pause = time.random() * Math.min(maxMillis, baseMillis * 2 ** tried)
    // Later than the server asks for by a part of its own, so that clients do not come back together.
    const least = "error" in outcome ? 0 : (retryAfterOf(outcome.headers, time.now()) ?? 0) * 1000
    await time.sleep(least + pause, request.signal)
    tried += 1
  }
}

const defined = (options: RetryOptions): Partial<typeof defaults> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
