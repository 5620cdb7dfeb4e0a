import { type Answer, type Handler, type Incoming, json, type Routes } from "../Wire.ts"
import { evaluate, type Value } from "./evaluate.ts"
import { type Expression, parse, secondsOf } from "./parse.ts"
import { seriesOf } from "./series.ts"

/** Prometheus's maximum number of points of a series. */
const mostPoints = 11_000

const refuse = (error: string): Answer => json(400, { status: "error", errorType: "bad_data", error })

const success = (data: unknown): Answer => json(200, { status: "success", data })

/** Parameters are in the query, and with POST in a form too. */
const parametersOf = ({ body, headers, query }: Incoming): URLSearchParams => {
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
  return new URLSearchParams([...(isForm ? new URLSearchParams(new TextDecoder().decode(body)) : []), ...query])
}

/** Seconds since the epoch. */
const momentOf = (text: string): number | undefined => {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  const millis = Date.parse(text)
  return Number.isNaN(millis) || !text.includes("T") ? undefined : millis / 1000
}

const stepOf = (text: string): number | undefined => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : secondsOf(text))

const expressionOf = (parameters: URLSearchParams): Expression | Answer => {
  const parsed = parse(parameters.get("query") ?? "")
  if ("error" in parsed) return refuse(`invalid parameter "query": ${parsed.error}`)
  return patternsOf(parsed).every(isPattern) ? parsed : refuse('invalid parameter "query": error parsing regexp')
}

const patternsOf = (expression: Expression): ReadonlyArray<string> =>
  expression.kind === "aggregation"
    ? patternsOf(expression.of)
    : expression.matchers.filter((_) => _.operator === "=~" || _.operator === "!~").map((_) => _.value)

/** Checks balance and syntax that RE2 lacks; other differences between RE2 and JavaScript are ignored. */
const isPattern = (pattern: string): boolean => {
  const plain = pattern.replaceAll(/\\./g, "")
  const count = (letter: string) => plain.split(letter).length
  return count("(") === count(")") && count("[") === count("]") && !/\(\?[=!<]/.test(plain) && !/^[*+?]/.test(plain)
}

const isAnswer = (given: Expression | Answer): given is Answer => "status" in given

const textOf = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"

const query: Handler = (incoming) => {
  const parameters = parametersOf(incoming)
  const time = parameters.get("time")
  const moment = time === null ? incoming.now / 1000 : momentOf(time)
  if (moment === undefined) return refuse(`invalid parameter "time": cannot parse "${time}" to a valid timestamp`)
  const expression = expressionOf(parameters)
  if (isAnswer(expression)) return expression
  const found = evaluate(expression, seriesOf(incoming.world, incoming.now), moment)
  return success({
    resultType: "vector",
    result: found.map(({ labels, value }) => ({ metric: labels, value: [moment, textOf(value)] }))
  })
}

const queryRange: Handler = (incoming) => {
  const parameters = parametersOf(incoming)
  const given = (name: string) => parameters.get(name) ?? ""
  const wrong = (name: string, what: string) =>
    refuse(`invalid parameter "${name}": cannot parse "${given(name)}" to a valid ${what}`)
  const [start, end, step] = [momentOf(given("start")), momentOf(given("end")), stepOf(given("step"))]
  if (start === undefined) return wrong("start", "timestamp")
  if (end === undefined) return wrong("end", "timestamp")
  if (end < start) return refuse('invalid parameter "end": end timestamp must not be before start time')
  if (step === undefined) return wrong("step", "duration")
  if (step <= 0) {
    return refuse(
      'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer'
    )
  }
  if ((end - start) / step > mostPoints) {
    return refuse(
      "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)"
    )
  }
  const expression = expressionOf(parameters)
  if (isAnswer(expression)) return expression
  return success({ resultType: "matrix", result: matrixOf(expression, incoming, { start, end, step }) })
}

/** A series has a value for each step with a sample; a series without samples is omitted. */
const matrixOf = (
  expression: Expression,
  { now, world }: Incoming,
  { end, start, step }: { readonly start: number; readonly end: number; readonly step: number }
) => {
  const series = seriesOf(world, now)
  const found = new Map<string, { readonly metric: Value["labels"]; readonly values: Array<[number, string]> }>()
  for (let moment = start; moment <= end; moment += step) {
    for (const { labels, value } of evaluate(expression, series, moment)) {
      const key = JSON.stringify(labels)
      const row = found.get(key) ?? { metric: labels, values: [] }
      row.values.push([moment, textOf(value)])
      found.set(key, row)
    }
  }
  return [...found.values()]
}

const listSeries: Handler = (incoming) => {
  const matches = parametersOf(incoming).getAll("match[]")
  if (matches.length === 0) return refuse("no match[] parameter provided")
  const series = seriesOf(incoming.world, incoming.now)
  const found = new Map<string, Value["labels"]>()
  for (const match of matches) {
    const expression = parse(match)
    if ("error" in expression) return refuse(`invalid parameter "match[]": ${expression.error}`)
    if (expression.kind !== "selector") {
      return refuse('invalid parameter "match[]": 1:1: parse error: only a vector selector is allowed')
    }
    for (const { labels } of evaluate(expression, series, incoming.now / 1000)) {
      found.set(JSON.stringify(labels), labels)
    }
  }
  return success([...found.values()])
}

/** Prometheus has no tenants and no authentication. */
export const prometheusRoutes: Routes = {
  "GET /api/v1/query": query,
  "POST /api/v1/query": query,
  "GET /api/v1/query_range": queryRange,
  "POST /api/v1/query_range": queryRange,
  "GET /api/v1/series": listSeries,
  "POST /api/v1/series": listSeries
}
