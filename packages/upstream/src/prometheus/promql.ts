/**
 * A string literal of PromQL. What a caller chose stands between its quotes
 * whatever it is, and can neither end it nor add a matcher.
 */
export const literal = (text: string): string =>
  `"${text.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`

/** Letters that mean something in RE2. */
const special = /[\\^$.|?*+()[\]{}]/g

/** For `=~`: one of these texts, letter by letter. Prometheus anchors it at both ends. */
const oneOf = (texts: ReadonlyArray<string>): string =>
  literal(texts.map((_) => _.replaceAll(special, (letter) => `\\${letter}`)).join("|"))

/**
 * The series of a metric, or of several, whose labels have these values: one
 * text, or one of some.
 *
 * @param metrics names of ours; at least one
 */
export const selector = (
  metrics: string | ReadonlyArray<string>,
  labels: Readonly<Record<string, string | ReadonlyArray<string>>> = {}
): string => {
  const matchers = Object.entries(labels).map(([label, value]) =>
    typeof value === "string" ? `${label}=${literal(value)}` : `${label}=~${oneOf(value)}`
  )
  const named = typeof metrics === "string" ? [] : [`__name__=~${oneOf(metrics)}`]
  return `${typeof metrics === "string" ? metrics : ""}{${[...named, ...matchers].join(",")}}`
}

/** The mean of what was measured in so many seconds before each moment. */
export const meanOver = (seconds: number, series: string): string => `avg_over_time(${series}[${seconds}s])`
