import { type Model, stepsOf } from "./model.ts"
import type { Ask } from "./plan.ts"

/** What was seen of a history, in the order of time: an operation was called, or it answered. */
export type Seen = { readonly called: number } | { readonly answered: number; readonly answer: string }

/** An order of steps, one after the other, that gives every answer. */
export type Explanation = ReadonlyArray<string>

/**
 * Finds an order of the operations' steps, each at one moment between the call
 * and the answer of its operation, in which every operation answers what it
 * answered, and which ends as it ended. Undefined when there is none.
 *
 * @param isEnd whether the gateway may be found like this at the end
 */
export const explain = (
  operations: ReadonlyArray<Ask>,
  begin: Model,
  seen: ReadonlyArray<Seen>,
  isEnd: (model: Model) => boolean
): Explanation | undefined => {
  const answers = new Map(seen.flatMap((_) => ("answered" in _ ? [[_.answered, _.answer] as const] : [])))
  /** Who answers next goes first: that is most often what happened. */
  const order = seen.flatMap((_) => ("answered" in _ ? [_.answered] : []))
  const tried = new Set<string>()

  const from = (time: number, model: Model, at: Places): Explanation | undefined => {
    const key = `${time} ${JSON.stringify(at)} ${JSON.stringify(model)}`
    if (tried.has(key)) return undefined
    tried.add(key)
    const next = seen[time]
    if (next === undefined && isEnd(model)) return []
    if (next !== undefined) {
      const after =
        "called" in next
          ? from(time + 1, model, { ...at, [next.called]: "begin" })
          : at[next.answered] === over
            ? from(time + 1, model, without(at, next.answered))
            : undefined
      if (after !== undefined) return after
    }
    for (const index of order) {
      const place = at[index]
      const operation = operations[index]
      if (place === undefined || place === over || operation === undefined) continue
      for (const step of stepsOf(operation, index, place, model)) {
        const answer = "answer" in step ? step.answer : undefined
        if (answer !== undefined && answer !== answers.get(index)) continue
        const to = "answer" in step ? over : step.to
        const rest = from(time, step.model, { ...at, [index]: to })
        if (rest !== undefined) return [`${index} ${operation.ask}: ${answer ?? to}`, ...rest]
      }
    }
    return undefined
  }
  return from(0, begin, {})
}

/** Where the operations are that were called and have not answered. */
type Places = Readonly<Record<number, string>>

const over = "over"

const without = (at: Places, index: number): Places =>
  Object.fromEntries(Object.entries(at).filter(([_]) => Number(_) !== index))
