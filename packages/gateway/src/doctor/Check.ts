import { Cause, Clock, Duration, Effect, Exit, type Scope } from "effect"

export type State = "ok" | "warning" | "failed" | "skipped"

/** What a check found. */
export interface Finding {
  readonly state: State
  /** The cause, as a sentence without its full stop. */
  readonly detail: string
  /** What an operator does about it; absent where there is nothing to do. */
  readonly fix?: string
}

/** A finding of a check that has run, as `--json` prints it. */
export interface Checked {
  readonly check: string
  readonly state: State
  readonly detail: string
  readonly fix: string | null
  readonly milliseconds: number
}

/** A part of what the gateway needs. Its findings have at least one line. */
export interface Check<R> {
  /** For a component of readiness its name there. */
  readonly name: string
  readonly run: Effect.Effect<ReadonlyArray<Finding>, never, R>
}

export const ok = (detail: string): Finding => ({ state: "ok", detail })
export const skipped = (detail: string): Finding => ({ state: "skipped", detail })
export const warning = (detail: string, fix: string): Finding => ({ state: "warning", detail, fix })
export const failed = (detail: string, fix: string): Finding => ({ state: "failed", detail, fix })

/** Runs a check to its end, or to the end of its time. It never fails. */
export const checked = <R>(
  { name, run }: Check<R>,
  time: Duration.Duration
): Effect.Effect<ReadonlyArray<Checked>, never, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const exit = yield* Effect.exit(
      Effect.timeoutOrElse(Effect.scoped(run), {
        duration: time,
        orElse: () =>
          Effect.succeed([
            failed(`no answer within ${Duration.format(time)}`, "Look whether it works, or give it more --timeout")
          ])
      })
    )
    const findings = Exit.isSuccess(exit)
      ? exit.value
      : [failed(`the check itself broke off: ${brokenBy(exit.cause)}`, "Report this: it is a fault of Portico")]
    const milliseconds = (yield* Clock.currentTimeMillis) - began
    return findings.map(({ detail, fix, state }) => ({ check: name, state, detail, fix: fix ?? null, milliseconds }))
  })

const brokenBy = (cause: Cause.Cause<never>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : "an unknown error"
}
