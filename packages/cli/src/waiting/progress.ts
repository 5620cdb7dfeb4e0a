import { Clock, Effect, Schedule } from "effect"
import { signs } from "../output/draw.ts"
import { ink } from "../output/ink.ts"
import { harmless } from "../output/sanitize.ts"
import { Screen } from "../Screen.ts"
import { elapsed } from "./elapsed.ts"

export type StepState = "running" | "done" | "failed" | "skipped"

/** What happens while a person waits. Every text may come from outside. */
export interface Progress {
  /** What is happening now, such as a status and its reason. */
  readonly now: (text: string) => Effect.Effect<void>
  /** A step begins, or is over. A step in the same state again is not shown twice. */
  readonly step: (name: string, state: StepState, detail?: string) => Effect.Effect<void>
}

interface Seen {
  now: string
  readonly steps: Map<string, { readonly state: StepState; readonly since: number }>
}

const runningOf = ({ steps }: Seen): string | undefined =>
  [...steps].findLast(([, { state }]) => state === "running")?.[0]

/** How often the spinner turns and the seconds are written again. */
const interval = "120 millis"

/**
 * Shows progress on standard error while the effect runs. On a terminal, steps
 * that are over stay as lines, and one line below them is drawn again in place:
 * a spinner, the title, the step, what is happening now, and the time since the
 * beginning. It is gone at the end, however the effect ends. Elsewhere, and so
 * in a log, each change is one plain line. `--quiet` shows nothing.
 *
 * @param title what is waited for, such as `Database postgres/orders`
 */
export const progress = Effect.fnUntraced(function* <A, E, R>(
  title: string,
  use: (progress: Progress) => Effect.Effect<A, E, R>
) {
  const { err, note, status, unicode } = yield* Screen
  const sign = signs({ colors: err.colors, unicode })
  const paint = ink(err.colors)
  const began = yield* Clock.currentTimeMillis
  const seen: Seen = { now: "", steps: new Map() }
  let turn = 0

  const draw = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const running = runningOf(seen)
    const frame = sign.spinner.charAt(turn++ % sign.spinner.length)
    // The time is in front, because a narrow window cuts the end.
    const parts = [running === undefined ? undefined : `step ${seen.steps.size}: ${running}`, seen.now].filter(Boolean)
    yield* status(`${paint.cyan(frame)} ${elapsed(at - began)} ${title}${parts.map((_) => ` - ${_}`).join("")}`)
  })

  const changed = (line: string) => (err.isTerminal ? draw : note(line))

  const shown: Progress = {
    now: (text) =>
      Effect.suspend(() => {
        const now = harmless(text)
        if (now === seen.now) return Effect.void
        seen.now = now
        return changed(`${harmless(title)}: ${now}`)
      }),
    step: Effect.fnUntraced(function* (name, state, detail) {
      const at = yield* Clock.currentTimeMillis
      const before = seen.steps.get(name)
      if (before?.state === state) return
      seen.steps.set(name, { state, since: before?.since ?? at })
      seen.now = ""
      const about = detail === undefined || detail === "" ? "" : `: ${harmless(detail)}`
      if (state === "running") return yield* changed(`${harmless(name)}: running${about}`)
      if (!err.isTerminal) return yield* note(`${harmless(name)}: ${state}${about}`)
      const took = before === undefined ? "" : paint.dim(` ${elapsed(at - before.since)}`)
      const color = state === "done" ? paint.green : state === "failed" ? paint.red : paint.dim
      yield* note(`${color(sign[state])} ${harmless(name)}${about}${took}`)
      yield* draw
    })
  }

  const spinning = err.isTerminal ? draw.pipe(Effect.repeat(Schedule.spaced(interval)), Effect.asVoid) : Effect.never
  return yield* Effect.raceFirst(use(shown), spinning.pipe(Effect.andThen(Effect.never))).pipe(
    Effect.ensuring(status(undefined))
  )
})
