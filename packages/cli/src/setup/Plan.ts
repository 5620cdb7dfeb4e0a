import { Effect } from "effect"
import { sentence } from "../output/sentence.ts"
import { Screen } from "../Screen.ts"
import { Blank, type Change, carryOut, checkSecrecy } from "./files.ts"

/** What a command does to the files of a client. */
export interface Plan {
  readonly changes: ReadonlyArray<Change>
  /** How to work with the client now, and what to know before; one sentence each. */
  readonly hints: ReadonlyArray<string>
}

export interface Manner {
  /** Prints what would change, and changes nothing. */
  readonly dryRun: boolean
  /** Prints the entries as they stand in an empty file, and changes nothing. */
  readonly print: boolean
}

const show = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>) {
  const { out, print } = yield* Screen
  const { differenceOf } = yield* Effect.promise(() => import("./difference.ts"))
  for (const change of changes) yield* print(differenceOf(change, out.colors))
})

const describe = ({ after, before, path }: Change): string =>
  after === undefined ? `Removed ${path}` : before === undefined ? `Wrote ${path}` : `Changed ${path}`

const printed = Effect.fnUntraced(function* ({ changes }: Plan) {
  const { note, print } = yield* Screen
  for (const { after, path } of changes) {
    yield* note(`${path}:`)
    yield* print((after ?? "").trimEnd())
  }
})

/** Carries a plan out, or shows it. */
export const follow = <E, R>(planned: Effect.Effect<Plan, E, R>, { dryRun, print }: Manner) =>
  Effect.gen(function* () {
    const { note } = yield* Screen
    if (print) return yield* printed(yield* Effect.provideService(planned, Blank, true))
    const plan = yield* planned
    const changes = plan.changes.filter((_) => _.after !== _.before)
    yield* Effect.forEach(changes, checkSecrecy, { discard: true })
    if (dryRun) {
      yield* show(changes)
      return yield* note(changes.length === 0 ? "Nothing would change." : "Nothing was changed: this is a dry run.")
    }
    for (const change of changes) {
      yield* carryOut(change)
      yield* note(`${describe(change)}.`)
    }
    if (changes.length === 0) yield* note("Everything is as it should be.")
    yield* Effect.forEach(plan.hints, (_) => note(sentence(_)), { discard: true })
  })
