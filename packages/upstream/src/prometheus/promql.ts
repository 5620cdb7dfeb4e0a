/**
 * A string literal of PromQL. The text is escaped, so that a caller's value can
 * neither end the literal nor add a matcher.
 */
export const literal = (text: string): string =>
  `"${text.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`

/** The special characters of RE2. */
const special = /[\\^$.|?*+()[\]{}]/g

/** The pattern for `=~` that matches exactly one of these texts. Prometheus anchors it at both ends. */
const oneOf = (texts: ReadonlyArray<string>): string =>
  literal(texts.map((_) => _.replaceAll(special, (letter) => `\\${letter}`)).join("|"))

/**
 * The selector of one or several metrics whose labels have these values: one
 * text, or one of several.
 *
 * @param metrics names of the gateway's own; at least one
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

/** The mean over this many seconds before each time. */
export const meanOver = (seconds: number, series: string): string => `avg_over_time(${series}[${seconds}s])`
