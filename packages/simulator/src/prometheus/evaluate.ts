import type { Aggregation, Expression, Matcher, Over } from "./parse.ts"
import { scrape, type Series } from "./series.ts"

export interface Value {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The value of the expression at a time, in seconds since the epoch; undefined for a pattern that RE2 refuses. */
export const evaluate = (
  expression: Expression,
  series: ReadonlyArray<Series>,
  moment: number
): ReadonlyArray<Value> => {
  switch (expression.kind) {
    case "selector":
      return selected(expression.matchers, series).flatMap((_) => {
        const value = _.at(Math.floor(moment / scrape) * scrape)
        return value === undefined ? [] : [{ labels: _.labels, value }]
      })
    case "over":
      return selected(expression.matchers, series).flatMap((_) => {
        const samples = samplesOf(_, moment - expression.seconds, moment)
        const value = samples.length === 0 ? undefined : overs[expression.over](samples)
        // The result of a function has no metric name.
        return value === undefined ? [] : [{ labels: without(_.labels, "__name__"), value }]
      })
    case "aggregation":
      return aggregated(expression.aggregation, expression.by, evaluate(expression.of, series, moment))
  }
}

const selected = (matchers: ReadonlyArray<Matcher>, series: ReadonlyArray<Series>): ReadonlyArray<Series> =>
  series.filter(({ labels }) => matchers.every((_) => isMet(_, labels[_.label] ?? "")))

const isMet = ({ operator, value }: Matcher, label: string): boolean => {
  switch (operator) {
    case "=":
      return label === value
    case "!=":
      return label !== value
    case "=~":
      return anchored(value).test(label)
    case "!~":
      return !anchored(value).test(label)
  }
}

const anchored = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, "s")

/** After the first time, up to and including the second. */
const samplesOf = (series: Series, after: number, until: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = (Math.floor(after / scrape) + 1) * scrape; at <= until; at += scrape) {
    const value = series.at(at)
    if (value !== undefined) found.push(value)
  }
  return found
}

const total = (values: ReadonlyArray<number>): number => values.reduce((sum, _) => sum + _, 0)

const overs: Readonly<Record<Over, (samples: ReadonlyArray<number>) => number | undefined>> = {
  avg_over_time: (_) => total(_) / _.length,
  min_over_time: (_) => Math.min(..._),
  max_over_time: (_) => Math.max(..._),
  last_over_time: (_) => _.at(-1),
  count_over_time: (_) => _.length
}

const aggregations: Readonly<Record<Aggregation, (values: ReadonlyArray<number>) => number>> = {
  sum: total,
  avg: (_) => total(_) / _.length,
  min: (_) => Math.min(..._),
  max: (_) => Math.max(..._),
  count: (_) => _.length
}

const aggregated = (
  aggregation: Aggregation,
  by: ReadonlyArray<string>,
  values: ReadonlyArray<Value>
): ReadonlyArray<Value> => {
  const kept = ({ labels }: Value) =>
    Object.fromEntries(by.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]] as const])))
  const groups = Map.groupBy(values, (_) => JSON.stringify(Object.values(kept(_))))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined
      ? []
      : [{ labels: kept(first), value: aggregations[aggregation](group.map((_) => _.value)) }]
  })
}

const without = (labels: Value["labels"], name: string): Value["labels"] =>
  Object.fromEntries(Object.entries(labels).filter(([label]) => label !== name))
