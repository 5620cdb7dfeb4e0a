import { Effect } from "effect"
import { Worker } from "node:worker_threads"
import type { Observation } from "../onboarding/observe.ts"
import { Unusable } from "./company.ts"
import type { Row } from "./Report.ts"

/** What a thread begins with. The first one sees an onboarding that works, and the others are told. */
export interface PlayerData {
  readonly file: string
  readonly observation?: Observation
}

/** The case to play next, by its number. */
export interface ToPlayer {
  readonly index: number
}

export type FromPlayer =
  | { readonly is: "unusable"; readonly message: string }
  | { readonly is: "ready"; readonly observation: Observation }
  | { readonly is: "played"; readonly index: number; readonly row: Row }

export interface Player {
  readonly observation: Observation
  /** Plays all of these cases, and takes the next one from the same list as the others do. */
  readonly playAll: (queue: Array<number>, done: (row: Row, index: number) => void) => Effect.Effect<void, Unusable>
}

/** Starts a thread, which ends with the scope. */
export const player = Effect.fnUntraced(function* (data: PlayerData) {
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(new URL("./player.ts", import.meta.url), { workerData: data, stdout: true })),
    (worker) => Effect.promise(() => worker.terminate())
  )
  // What the steps print is not part of the report.
  worker.stdout.pipe(process.stderr, { end: false })

  const listening = <A>(
    react: (message: FromPlayer, resume: (result: Effect.Effect<A, Unusable>) => void) => void,
    start: () => void
  ) =>
    Effect.callback<A, Unusable>((resume) => {
      const heard = (message: FromPlayer) => react(message, resume)
      const broken = (error: Error) =>
        resume(new Unusable({ message: `${data.file} broke the rehearsal: ${error.message}` }))
      const gone = () => resume(new Unusable({ message: `${data.file} ended the process.` }))
      worker.on("message", heard).once("error", broken).once("exit", gone)
      start()
      return Effect.sync(() => worker.off("message", heard).off("error", broken).off("exit", gone))
    })

  const observation = yield* listening<Observation>(
    (message, resume) => {
      if (message.is === "unusable") resume(new Unusable({ message: message.message }))
      if (message.is === "ready") resume(Effect.succeed(message.observation))
    },
    () => {}
  )

  const playAll: Player["playAll"] = (queue, done) => {
    const next = (): boolean => {
      const index = queue.shift()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      if (index !== undefined) worker.postMessage({ index } satisfies ToPlayer)
      return index !== undefined
    }
    if (queue.length === 0) return Effect.void
    return listening<void>(
      (message, resume) => {
        if (message.is !== "played") return
        done(message.row, message.index)
        if (!next()) resume(Effect.void)
      },
      () => void next()
    )
  }
  return { observation, playAll } satisfies Player
})
