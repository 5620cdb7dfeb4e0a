import { Clock, Effect } from "effect"
import { type Case, casesOf, type FaultName } from "../onboarding/cases.ts"
import type { Observation } from "../onboarding/observe.ts"
import { Unusable } from "./company.ts"
import { player } from "./players.ts"
import type { Progress } from "./progress.ts"
import { isBad, type Report, type Row } from "./Report.ts"

export interface Options {
  /** The module that exports the steps. */
  readonly file: string
  /** The steps whose calls are cut short; all of them when empty. */
  readonly steps: ReadonlyArray<string>
  /** The kinds of faults; all of them when empty. */
  readonly faults: ReadonlyArray<FaultName>
  /** How many threads play cases. */
  readonly jobs: number
}

/** A thread takes about as long to begin as this many cases. */
const worthAThread = 20

/** Plays every case that the options leave. */
export const rehearse = Effect.fnUntraced(function* (options: Options, progress: Progress) {
  const start = yield* Clock.currentTimeMillis
  const { file, jobs } = options
  yield* progress.begin(`Playing an onboarding of ${file} in which nothing fails ...`)
  const first = yield* player({ file })
  const { observation } = first
  const cases = yield* chosen(options, observation)

  const rows = new Map<number, Row>()
  const queue = cases.map((_) => _.index)
  const others = Math.min(jobs, Math.ceil(cases.length / worthAThread)) - 1
  const done = (row: Row, index: number) => {
    rows.set(index, row)
    progress.played(rows.size, cases.length, isBad(row))
  }
  const playing = [Effect.succeed(first), ...Array.from({ length: others }, () => player({ file, observation }))].map(
    Effect.flatMap((_) => _.playAll(queue, done))
  )
  yield* Effect.all(playing, { concurrency: "unbounded", discard: true })
  yield* progress.end

  const played = cases.flatMap(({ index }) => rows.get(index) ?? [])
  return {
    file,
    calls: observation.calls.length,
    cases: played.length,
    failures: played.filter(isBad).length,
    duration_ms: (yield* Clock.currentTimeMillis) - start,
    rows: played
  } satisfies Report
}, Effect.scoped)

interface Numbered extends Case {
  readonly index: number
}

const chosen = Effect.fnUntraced(function* (
  { faults, steps }: Options,
  { calls }: Observation
): Effect.fn.Return<ReadonlyArray<Numbered>, Unusable> {
  const known = [...new Set(calls.map((_) => _.step))]
  const unknown = steps.filter((_) => !known.includes(_))
  if (unknown.length > 0) {
    return yield* new Unusable({
      message: `No call is made by a step named ${unknown.join(", ")}. Steps with calls: ${known.join(", ")}.`
    })
  }
  return calls
    .flatMap(casesOf)
    .map((_, index) => ({ ..._, index }))
    .filter(({ call, name }) => {
      const isOfStep = steps.length === 0 || steps.includes(call.step)
      return isOfStep && (faults.length === 0 || faults.includes(name))
    })
    .toSorted((a, b) => known.indexOf(a.call.step) - known.indexOf(b.call.step))
})
