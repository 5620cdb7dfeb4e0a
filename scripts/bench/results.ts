import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { type Summary, table } from "./numbers.ts"
import { root } from "./proxy/processes.ts"

/** A number that was measured, and what it should be at least or at most. */
export interface Goal {
  readonly what: string
  readonly measured: Summary
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number }
  readonly moonshot?: boolean
}

export const isMet = ({ measured, wanted }: Goal): boolean =>
  "atLeast" in wanted ? measured.median >= wanted.atLeast : measured.median <= wanted.atMost

/** What one part of the benchmark found. */
export interface Part {
  readonly title: string
  /** The first row is the head. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly notes: ReadonlyArray<string>
  readonly goals: ReadonlyArray<Goal>
  /** For the file, by name. */
  readonly numbers: Readonly<Record<string, unknown>>
}

/** A summary in one cell: the median, and between which numbers all of them lie. */
export const cell = ({ max, median, min }: Summary, digits: number): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)} - ${max.toFixed(digits)})`

/** One series by another, round by round. */
export const ratio = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): ReadonlyArray<number> =>
  one.map((value, round) => value / (other[round] ?? Number.NaN))

/** A part as it is shown. */
const printed = ({ notes, rows, title }: Part): string =>
  [`\n${title}`, ...(rows.length === 0 ? [] : [table(rows)]), ...notes].join("\n\n")

/** Measures a part and shows it. */
export const shown = <E, R>(name: string, bench: Effect.Effect<Part, E, R>) =>
  Effect.scoped(bench).pipe(
    Effect.tap((part) => Console.log(printed(part))),
    Effect.map((part) => ({ name, part }))
  )

const goalRow = (goal: Goal): ReadonlyArray<string> => {
  const { measured, moonshot, wanted, what } = goal
  const words = "atLeast" in wanted ? `at least ${wanted.atLeast}` : `at most ${wanted.atMost}`
  return [what, cell(measured, 2), `${words}${moonshot === true ? " (moonshot)" : ""}`, isMet(goal) ? "met" : "not met"]
}

/** Where benchmarks leave their numbers. */
export const directory = join(root, ".portico/bench")

/** Shows how the goals were met, and leaves all numbers in a file. */
export const concluded = Effect.fnUntraced(function* (
  name: string,
  title: string,
  measured: ReadonlyArray<{ readonly name: string; readonly part: Part }>,
  further: Readonly<Record<string, unknown>>
) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(directory, { recursive: true })
  const goals = measured.flatMap(({ part }) => part.goals)
  if (goals.length > 0) {
    const rows = [["", "median (least - most)", "goal", ""], ...goals.map(goalRow)]
    yield* Console.log(`\n${title}\n\n${table(rows)}`)
  }
  const numbers = {
    ...further,
    ...Object.fromEntries(measured.map(({ name, part }) => [name, part.numbers])),
    goals: goals.map((goal) => ({ ...goal, met: isMet(goal) }))
  }
  const file = join(directory, `bench-${name}.json`)
  yield* fs.writeFileString(file, `${JSON.stringify(numbers, null, 2)}\n`)
  yield* Console.log(`\nThe numbers are in ${file}`)
})
