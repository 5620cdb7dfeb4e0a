import { NodeRuntime } from "@effect/platform-node"
import { stopDeadlines } from "@portico/domain/health/Stopping"
import { innermost } from "@portico/domain/innermost"
import { Cause, Config, Console, Duration, Effect, Exit, Layer, Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"
import { isMainThread } from "node:worker_threads"
import { keepRequestsYoung } from "./heap.ts"
import { outliveOutputs } from "./observability/outputs.ts"
import { IllSet } from "./settings/check.ts"
import { settingSentence } from "./settings/sentences.ts"

/** The process cannot start, for a reason that the operator can correct. */
export class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", { message: Schema.String }) {}

/** A port to listen on. Unlike the port of a remote system it may be 0, which means any free port. */
export const Port = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: 0, maximum: 65535 })
)

/** Something that cannot listen. */
interface Unheard {
  readonly who: string
  readonly address: string
  /** Names of settings. A host that cannot be configured has none. */
  readonly host?: string
  readonly port: string
  readonly cause: unknown
}

/** Fails with {@link cannotListenAs}. */
export const cannotListen = (unheard: Unheard): Layer.Layer<unknown, CannotStart> =>
  Layer.unwrap(Effect.fail(cannotListenAs(unheard)))

/** The reason why nothing can listen on the address, and the setting that changes it. */
export const cannotListenAs = (unheard: Unheard): CannotStart => {
  const { address, cause, host, port, who } = unheard
  const text = cause instanceof Error ? cause.message : String(cause)
  const code = /\bE[A-Z]{3,}\b/.exec(text)?.[0] ?? ""
  const remedy =
    host !== undefined && hostCodes.includes(code)
      ? `${host} sets another address`
      : `${port} sets another port, 0 any free one`
  const message = `${who} cannot listen on ${address}: ${reasons[code] ?? text}. ${remedy}.`
  return new CannotStart({ message })
}

const hostCodes = ["EADDRNOTAVAIL", "ENOTFOUND", "EINVAL"]

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken",
  EACCES: "this port is for administrators",
  EADDRNOTAVAIL: "this machine does not have the address",
  ENOTFOUND: "there is no such host"
}

/**
 * Runs a layer until SIGTERM or Ctrl-C, after which the process ends with code 0. A start that fails ends with code
 * 1, and so does a stop that takes longer than {@link stopDeadlines} allow. It prints one line for an error that the
 * operator can correct, and the whole cause for a bug.
 *
 * @param stopped ends it too
 */
export const launch = <A, E>(layer: Layer.Layer<A, E>, stopped: Effect.Effect<void> = Effect.never): void => {
  keepRequestsYoung()
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, endInTime)
  run(Effect.raceFirst(Layer.launch(layer), stopped))
}

/** Ends the process a moment before the platform would kill it, whatever it waits for. */
const endInTime = (): void => {
  const late = () => {
    Effect.runSync(Console.error(`portico: the stop did not end within ${Duration.format(stopDeadlines.process)}`))
    process.exit(1)
  }
  setTimeout(late, Duration.toMillis(stopDeadlines.process)).unref()
}

/**
 * Runs a program to its end, with the codes and the error lines of {@link launch}.
 *
 * @param written calls back when its output is written; without it nothing waits for that
 */
export const run = <A, E>(
  program: Effect.Effect<A, E>,
  written: (then: () => void) => void = (then) => then()
): void => {
  outliveOutputs()
  NodeRuntime.runMain(Effect.tapCause(program, report), {
    disableErrorReporting: true,
    teardown: (exit, end) => {
      const code = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0
      written(() => end(code))
      // What the stop left unfinished would keep a thread, which gets no signal.
      if (!isMainThread) process.exit(code)
    }
  })
}

const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const lines = sentencesOf(cause)
  if (lines.length > 0) return Console.error(lines.map((line) => `portico: ${line}`).join("\n"))
  return Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("portico failed", cause)
}

/** One sentence for each error that the operator can correct. Empty when the cause holds any other error. */
export const sentencesOf = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => {
  const errors = cause.reasons.flatMap((_) =>
    Cause.isFailReason(_) ? [_.error] : Cause.isDieReason(_) ? [_.defect] : []
  )
  const sentences = errors.flatMap((_): ReadonlyArray<string | undefined> =>
    _ instanceof IllSet ? _.sentences : [sentenceOf(_)]
  )
  return sentences.every(Predicate.isString) ? [...new Set(sentences)] : []
}

const sentenceOf = (error: unknown): string | undefined => {
  if (error instanceof Config.ConfigError) return settingSentence(error)
  if (SqlError.isSqlError(error)) return `PostgreSQL (DATABASE_URL): ${innermost(error).message}`
  // The messages of the embedded database, the simulated cloud and the file system are written for operators.
  return error instanceof Error && "_tag" in error && error.message !== "" ? error.message : undefined
}
