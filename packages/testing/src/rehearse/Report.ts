import { Result, Schema } from "effect"
import { type Case, callInWords, faultInWords, faultNames, type Verdict } from "../onboarding/cases.ts"
import type { Made, Observation } from "../onboarding/observe.ts"

/** What the cloud still holds, and the step that makes such a thing. */
const Left = Schema.Struct({
  kind: Schema.String,
  name: Schema.String,
  /** How many of this name there are. */
  count: Schema.Number,
  step: Schema.NullOr(Schema.String),
  /** The call that makes such a thing. */
  call: Schema.NullOr(Schema.String)
})
export type Left = typeof Left.Type

export const Outcome = Schema.Literals(["completed", "rolled back", "left behind", "wrong outcome"])
export type Outcome = typeof Outcome.Type

/** One call, cut short in one way. */
const Row = Schema.Struct({
  step: Schema.String,
  call: Schema.String,
  fault: Schema.String,
  kind: Schema.Literals(faultNames),
  outcome: Outcome,
  /** What is wrong; empty when nothing is. */
  words: Schema.String,
  left: Schema.Array(Left),
  /** How long it took in the time of the simulated cloud. */
  ms: Schema.Number
})
export type Row = typeof Row.Type

export const Report = Schema.Struct({
  file: Schema.String,
  /** How many upstream calls an onboarding makes when nothing fails. */
  calls: Schema.Number,
  cases: Schema.Number,
  failures: Schema.Number,
  /** How long the rehearsal took. */
  duration_ms: Schema.Number,
  rows: Schema.Array(Row)
})
export type Report = typeof Report.Type

export const isBad = ({ outcome }: Pick<Row, "outcome">): boolean =>
  outcome === "left behind" || outcome === "wrong outcome"

export const isClean = ({ failures }: Report): boolean => failures === 0

export const rowOf = ({ made }: Observation, played: Case, { ms, result }: Verdict): Row => {
  const row = {
    step: played.call.step,
    call: callInWords(played.call),
    fault: faultInWords(played),
    kind: played.name,
    ms
  }
  if (Result.isSuccess(result)) return { ...row, outcome: result.success, words: "", left: [] }
  const { left, outcome, words } = result.failure
  const byName = [...Map.groupBy(left, ({ kind, name }) => JSON.stringify([kind, name])).values()]
  const withMaker = byName.flatMap(([first, ...others]): ReadonlyArray<Left> => {
    if (first === undefined) return []
    const { kind, name } = first
    const maker = makerOf(made, kind, name)
    const call = maker === undefined ? null : callInWords(maker)
    return [{ kind, name, count: others.length + 1, step: maker?.step ?? null, call }]
  })
  return { ...row, outcome, words, left: withMaker }
}

/** The call that made a resource like this one when nothing failed: of that name, or the only one that made any of the kind. */
const makerOf = (made: ReadonlyArray<Made>, kind: string, name: string): Made["call"] | undefined => {
  const ofKind = made.filter((_) => _.kind === kind)
  const named = ofKind.find((_) => _.name === name)
  const makers = new Set(ofKind.map((_) => _.call))
  return named?.call ?? (makers.size === 1 ? ofKind[0]?.call : undefined)
}

/** What cases leave of one step's, and how many of them do. */
export interface Leaving extends Pick<Left, "step" | "call"> {
  /** Kinds with names, each once. */
  readonly resources: ReadonlyArray<string>
  readonly cases: number
}

export const leavings = ({ rows }: Report): ReadonlyArray<Leaving> => {
  const all = rows.flatMap((row, index) => row.left.map((left) => ({ ...left, index })))
  return [...Map.groupBy(all, ({ call, step }) => JSON.stringify([step, call])).values()]
    .flatMap((found) => {
      const [first] = found
      if (first === undefined) return []
      const resources = [...new Set(found.map(({ kind, name }) => `${kind} ${name}`))]
      const cases = new Set(found.map((_) => _.index)).size
      return [{ step: first.step, call: first.call, resources, cases }]
    })
    .toSorted((a, b) => b.cases - a.cases)
}

export const leftInWords = ({ count, kind, name }: Left): string => `${kind} ${name}${count === 1 ? "" : ` (${count})`}`
