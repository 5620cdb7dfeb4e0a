import { PorticoError } from "@portico/client/PorticoError"
import { Cause, Clock, Duration, Effect, Exit, Option } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import type { Exit as ExitName } from "../../ExitCode.ts"

export type State = "ok" | "warning" | "failed" | "skipped"

/** What a check found. */
export interface Finding {
  readonly state: State
  /** In a sentence without its full stop. No secrets. */
  readonly detail: string
  /** What to do about it. */
  readonly fix?: string | undefined
  /** How the process ends when nothing worse is found. */
  readonly exit?: ExitName | undefined
}

/** A check that has run. */
export interface Checked {
  readonly check: string
  readonly state: State
  readonly detail: string
  readonly fix: string | null
  readonly milliseconds: number
  readonly exit: ExitName
}

/** A part of what stands between a person and the platform. */
export interface Check<R> {
  readonly name: string
  readonly run: Effect.Effect<Finding, PorticoError | CliFailure, R>
}

export const ok = (detail: string): Finding => ({ state: "ok", detail })
export const warning = (detail: string, fix?: string): Finding => ({ state: "warning", detail, fix })
export const skipped = (detail: string): Finding => ({ state: "skipped", detail })
export const failed = (detail: string, fix?: string, exit: ExitName = "platform"): Finding => ({
  state: "failed",
  detail,
  fix,
  exit
})

/** What to do about a failure that says nothing better. */
const usualFix = (error: PorticoError): string | undefined => {
  if (error.status === 401) return "Log in again with 'portico login', or set PORTICO_TOKEN to a token that is valid"
  if (error.status === 403) return "Use a credential that may do this"
  if (error.code === "unreachable") return "See the checks of address, connection and TLS above"
  if (error.code === "unexpected_response")
    return "Something in between answers in the gateway's place: check the address"
  return error.requestId === undefined ? undefined : `Look for request ${error.requestId} in the gateway's log`
}

/** A failure as a finding. */
export const findingOf = (error: PorticoError | CliFailure): Finding =>
  error instanceof PorticoError
    ? failed(`${error.detail} (${error.code})`, usualFix(error), error.status === 401 ? "notSignedIn" : "platform")
    : failed(error.message, error.hint, error.exit)

/** Runs a check to its end, or to the end of its time. It never fails. */
export const checked = <R>({ name, run }: Check<R>, time: Duration.Duration): Effect.Effect<Checked, never, R> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const exit = yield* run.pipe(
      Effect.timeoutOrElse({
        duration: time,
        orElse: () =>
          Effect.succeed(failed(`No answer within ${Duration.format(time)}`, "Try again with a longer --timeout"))
      }),
      Effect.exit
    )
    const finding = Exit.isSuccess(exit)
      ? exit.value
      : Option.match(Cause.findErrorOption(exit.cause), {
          onNone: () => failed("The check itself broke off"),
          onSome: findingOf
        })
    const { detail, exit: code, fix, state } = finding
    return {
      check: name,
      state,
      detail,
      fix: fix ?? null,
      milliseconds: (yield* Clock.currentTimeMillis) - began,
      exit: state === "failed" ? (code ?? "platform") : "done"
    }
  })
