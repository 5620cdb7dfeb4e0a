import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import { empty, tables } from "../cloud/cleanSlate.ts"
import { differenceOf, inWords, leftIn } from "../cloud/leftovers.ts"

/** Something that should not be there: a resource of the cloud, a row, or a step that the journal lists as not undone. */
const Left = Schema.Struct({ kind: Schema.String, name: Schema.String })
export type Left = typeof Left.Type

/** What is wrong with the end of an onboarding that was cut short. */
export class Violation extends Schema.TaggedError<Violation>()("Violation", {
  outcome: Schema.Literals(["left behind", "wrong outcome"]),
  words: Schema.String,
  left: Schema.Array(Left)
}) {
  override get message() {
    return this.left.length === 0 ? this.words : `${this.words}: ${this.left.map(inWords).join(", ")}`
  }

  static readonly wrong = (words: string) => new Violation({ outcome: "wrong outcome", words, left: [] })
  static readonly left = (words: string, left: ReadonlyArray<Left>) =>
    new Violation({ outcome: "left behind", words, left })
}

/** What an exception says. */
export const messageOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))

/** Fails with these words unless the condition holds. */
export const expect = (condition: boolean, words: string): Effect.Effect<void, Violation> =>
  condition ? Effect.void : Effect.fail(Violation.wrong(words))

/** The rows of the journal of onboardings. */
export const entries = Effect.map(
  Effect.map(tables, (_) => _["onboardings"]),
  (_ = []) => _
)

const Row = Schema.Struct({ left_behind: Schema.Array(Schema.Struct({ step: Schema.String, message: Schema.String })) })

/** What the gateway itself says that it could not undo. */
const recorded = Effect.map(entries, (rows) =>
  rows
    .filter(Schema.is(Row))
    .flatMap((_) => _.left_behind)
    .map(({ message, step }): Left => ({ kind: "journal", name: `step ${step}: ${message}` }))
)

/** The cloud is as before the first tenant. */
export const nothingLeft = Effect.gen(function* () {
  const { added, removed } = leftIn(yield* (yield* SimulatedCloud).state)
  const left = [...added, ...(yield* recorded)]
  if (left.length > 0) return yield* Violation.left("left behind", left)
  yield* expect(removed.length === 0, `the platform's own is changed or gone: ${removed.map(inWords).join(", ")}`)
})

const inNewStore = new Map<string, ReadonlyArray<unknown>>(Object.entries(empty))

/** The cloud and every table are as before the first tenant. */
export const nothingLeftAnywhere = Effect.gen(function* () {
  yield* nothingLeft
  const left = Object.entries(yield* tables).filter(([table, rows]) => !isDeepStrictEqual(rows, inNewStore.get(table)))
  if (left.length > 0) {
    return yield* Violation.left(
      "left behind",
      left.map(([table, _]) => ({ kind: "table", name: `${table} (${_.length} rows)` }))
    )
  }
})

/** The cloud holds what it held before. */
export const unchangedSince = Effect.fnUntraced(function* (
  before: Parameters<typeof differenceOf>[0],
  because: string
) {
  const { added, removed } = differenceOf(before, yield* (yield* SimulatedCloud).state)
  if (added.length > 0) return yield* Violation.left(because, added)
  yield* expect(removed.length === 0, `${because}: ${removed.map(inWords).join(", ")} is gone`)
})
