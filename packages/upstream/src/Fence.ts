import { Context, Effect } from "effect"
import { UpstreamError } from "./UpstreamError.ts"

/**
 * Whether the process still holds what it works on, as the store says it now. Every write to an upstream asks for it
 * before it is sent, and is not sent without. A lease ends by the store's clock; the process's own stands still with its
 * machine, so after waking no timer of its own says that the lease has passed. Undefined where nothing is held.
 */
export const Fence = Context.Reference<Effect.Effect<boolean> | undefined>("portico/upstream/Fence", {
  defaultValue: () => undefined
})

/** The code of the error of {@link passFence}. */
const fenced = "fenced"

/** Whether a call was not sent, because the process no longer held what it worked on. */
export const isFenced = (error: unknown): boolean => error instanceof UpstreamError && error.code === fenced

const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Passes the {@link Fence}. Errors: one that is neither transient nor unsettled, because nothing was sent.
 */
export const passFence = (upstream: string, call: string, method: string): Effect.Effect<void, UpstreamError> =>
  reads.has(method)
    ? Effect.void
    : Effect.flatMap(Fence, (held) =>
        held === undefined
          ? Effect.void
          : Effect.flatMap(held, (isHeld) =>
              isHeld
                ? Effect.void
                : new UpstreamError({
                    upstream,
                    call,
                    status: 412,
                    code: fenced,
                    detail: "nothing was sent: another process has taken the operation over"
                  })
            )
      )
