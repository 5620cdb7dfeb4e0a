import { commandOf } from "@portico/client/catalogue/names"
import { customerOperations } from "@portico/client/operations/customer"
import { longRunning } from "@portico/client/operations/longRunning"
import { operatorOperations } from "@portico/client/operations/operator"
import type { PorticoError } from "@portico/client/PorticoError"
import { type Cause, Duration, Effect, Queue, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { harmless } from "../output/sanitize.ts"
import { quoted } from "../output/shell.ts"
import { type Input, operationIn } from "../Portico.ts"
import { Screen } from "../Screen.ts"
import { portico } from "../Session.ts"
import { type Progress, progress } from "./progress.ts"

/** An operation whose answer comes before its work is done. */
export type LongOperation = keyof typeof longRunning

export const isLongOperation = (operation: string): operation is LongOperation => Object.hasOwn(longRunning, operation)

export interface WaitingOptions {
  /** How long to wait; 30 minutes when absent. */
  readonly timeout?: Duration.Input | undefined
  /** What is waited for, such as `Database postgres/orders`; the identifiers when absent. */
  readonly what?: string | undefined
  /** The command that shows the work later; the one that reads it when absent. */
  readonly look?: string | undefined
  /** Shows how far the work is, of what was just read; its state and reason when absent. */
  readonly tell?: ((shown: Progress, view: unknown) => Effect.Effect<void>) | undefined
}

const routes: Readonly<Record<string, string>> = { ...customerOperations, ...operatorOperations }

const identifiersOf = (operation: string, started: Input): ReadonlyArray<string> =>
  [...(routes[operation] ?? "").matchAll(/:(\w+)/g)].map(([, key = ""]) => String(started[key]))

/** The command that reads what an operation began: `portico databases show postgres orders`. */
export const lookAt = (operation: LongOperation, started: Input): string => {
  const { read } = longRunning[operation]
  return ["portico", commandOf(read), ...identifiersOf(read, started).map(quoted)].join(" ")
}

/** What a person reads who stops to wait: what goes on without him, and how to come back. */
export const goesOn = (what: string, look: string) => ({
  message: `${harmless(what)} goes on without you`,
  hint: `See how far it is with: ${look}`
})

const stateOf = (view: unknown, field: string): string => {
  const state: unknown = Reflect.get(Object(view), field)
  const reason: unknown = Reflect.get(Object(view), "reason")
  return [state, reason].filter((_) => typeof _ === "string" && _ !== "").join(": ")
}

/** The client's wait as an effect, with a line of progress a change. */
const watched = Effect.fnUntraced(function* (
  operation: LongOperation,
  started: Input,
  { tell, timeout }: WaitingOptions,
  shown: Progress
) {
  const { use } = yield* portico
  const views = yield* Queue.unbounded<unknown, Cause.Done>()
  const millis = timeout === undefined ? undefined : Duration.toMillis(timeout)
  const waiting: Effect.Effect<unknown, PorticoError> = use((client, signal) =>
    operationIn(client, operation).wait(started, {
      signal,
      timeout: millis,
      onProgress: (view: unknown) => void Queue.offerUnsafe(views, view)
    })
  )
  const telling = Stream.runForEach(Stream.fromQueue(views), (view) =>
    tell === undefined ? shown.now(stateOf(view, longRunning[operation].field)) : tell(shown, view)
  )
  const [exit] = yield* Effect.all([Effect.ensuring(Effect.exit(waiting), Queue.end(views)), telling], {
    concurrency: 2
  })
  return yield* exit
})

/**
 * Waits for the work that an operation began, and shows its progress on
 * standard error. What it became; undefined when it is gone.
 *
 * - Work that fails ends the command with `platform`, a wait that takes longer
 *   than `timeout` with `timedOut`: the work goes on, and the failure says which
 *   command shows it.
 * - Ctrl-C says the same, and the process ends with 130.
 *
 * @param started the answer of the operation; with its path parameters
 */
export const waitFor = Effect.fnUntraced(function* (
  operation: LongOperation,
  started: Input,
  options: WaitingOptions = {}
) {
  const { note } = yield* Screen
  const what = options.what ?? identifiersOf(longRunning[operation].read, started).join("/")
  const look = options.look ?? lookAt(operation, started)
  const { hint, message } = goesOn(what, look)
  return yield* progress(what, (shown) => watched(operation, started, options, shown)).pipe(
    Effect.catch((failure): Effect.Effect<never, PorticoError | CliFailure> => {
      if (failure instanceof CliFailure) return Effect.fail(failure)
      if (failure.code === "gave_up") {
        return new CliFailure({ exit: "timedOut", message: `Not done in time: ${message}`, hint })
      }
      if (failure.code === "work_failed") {
        return new CliFailure({ exit: "platform", message: `${harmless(what)} failed: ${failure.detail}`, hint })
      }
      return Effect.fail(failure)
    }),
    Effect.onInterrupt(() => note(`${message}.\n${hint}`))
  )
})
