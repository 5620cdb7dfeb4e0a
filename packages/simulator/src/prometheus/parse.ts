/** A matcher of a selector, such as `instance_id="x"`. */
export interface Matcher {
  readonly label: string
  readonly operator: "=" | "!=" | "=~" | "!~"
  readonly value: string
}

export type Aggregation = "sum" | "avg" | "min" | "max" | "count"
export type Over = "avg_over_time" | "min_over_time" | "max_over_time" | "last_over_time" | "count_over_time"

export type Expression =
  | { readonly kind: "selector"; readonly matchers: ReadonlyArray<Matcher> }
  | { readonly kind: "over"; readonly over: Over; readonly matchers: ReadonlyArray<Matcher>; readonly seconds: number }
  | {
      readonly kind: "aggregation"
      readonly aggregation: Aggregation
      readonly by: ReadonlyArray<string>
      readonly of: Expression
    }

/** A syntax error, or unsupported PromQL. */
export interface ParseError {
  readonly error: string
}

interface Token {
  readonly text: string
  readonly at: number
  /** The value of a string token. */
  readonly string?: string
}

const aggregations: ReadonlyArray<Aggregation> = ["sum", "avg", "min", "max", "count"]
const overs: ReadonlyArray<Over> = [
  "avg_over_time",
  "min_over_time",
  "max_over_time",
  "last_over_time",
  "count_over_time"
]

const pattern =
  /\s*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(\d+(?:ms|[smhdwy]))|(=~|!~|!=|=|[(){}[\],]))/y

const unit: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000
}

/** The seconds of a duration such as `5m`; undefined for other text. */
export const secondsOf = (text: string): number | undefined => {
  const [, amount, name] = /^(\d+)(ms|[smhdwy])$/.exec(text) ?? []
  return amount === undefined || name === undefined ? undefined : Number(amount) * (unit[name] ?? 1)
}

/** Supports selectors, `*_over_time` functions of a range selector, and nested aggregations. */
export const parse = (query: string): Expression | ParseError => {
  const tokens = tokensOf(query)
  if ("error" in tokens) return tokens
  let next = 0
  const peek = (): Token => tokens.list[next] ?? { text: "", at: query.length }
  const take = (): Token => {
    const token = peek()
    next += 1
    return token
  }
  const unexpected = (token: Token): ParseError => ({
    error: `1:${token.at + 1}: parse error: unexpected ${token.text === "" ? "end of input" : token.text}`
  })
  const expect = (text: string): ParseError | undefined => {
    const token = take()
    return token.text === text && token.string === undefined ? undefined : unexpected(token)
  }
  const isName = ({ string, text }: Token): boolean => string === undefined && /^[a-zA-Z_:]/.test(text)

  const labels = (): ReadonlyArray<string> | ParseError => {
    const wrong = expect("(")
    if (wrong !== undefined) return wrong
    const found: Array<string> = []
    while (peek().text !== ")") {
      const name = take()
      if (!isName(name)) return unexpected(name)
      found.push(name.text)
      if (peek().text === ",") take()
      else if (peek().text !== ")") return unexpected(peek())
    }
    take()
    return found
  }

  const matchers = (): ReadonlyArray<Matcher> | ParseError => {
    const found: Array<Matcher> = []
    if (isName(peek())) found.push({ label: "__name__", operator: "=", value: take().text })
    if (peek().text !== "{" || peek().string !== undefined) return found.length === 0 ? unexpected(peek()) : found
    take()
    while (peek().text !== "}" || peek().string !== undefined) {
      const [label, operator, value] = [take(), take(), take()]
      if (!isName(label)) return unexpected(label)
      if (!isOperator(operator.text)) return unexpected(operator)
      if (value.string === undefined) return unexpected(value)
      found.push({ label: label.text, operator: operator.text, value: value.string })
      if (peek().text === ",") take()
      else if (peek().text !== "}") return unexpected(peek())
    }
    take()
    const empty = found.every((_) => (_.operator === "=" || _.operator === "=~") && _.value === "")
    return empty ? { error: "1:1: parse error: vector selector must contain at least one non-empty matcher" } : found
  }

  const over = (name: Over): Expression | ParseError => {
    const open = expect("(")
    if (open !== undefined) return open
    const found = matchers()
    if ("error" in found) return found
    const bracket = expect("[")
    if (bracket !== undefined) {
      return {
        error: `1:1: parse error: expected type range vector in call to function "${name}", got instant vector`
      }
    }
    const duration = take()
    const seconds = secondsOf(duration.text)
    if (seconds === undefined) return unexpected(duration)
    const close = expect("]") ?? expect(")")
    return close ?? { kind: "over", over: name, matchers: found, seconds }
  }

  const aggregation = (name: Aggregation): Expression | ParseError => {
    let by: ReadonlyArray<string> | ParseError = []
    if (peek().text === "by") {
      take()
      by = labels()
      if ("error" in by) return by
    }
    const open = expect("(")
    if (open !== undefined) return open
    const of = expression()
    if ("error" in of) return of
    const close = expect(")")
    return close ?? { kind: "aggregation", aggregation: name, by, of }
  }

  const expression = (): Expression | ParseError => {
    const { string, text } = peek()
    const called = tokens.list[next + 1]?.text
    const aggregated = aggregations.find((_) => _ === text)
    if (string === undefined && aggregated !== undefined && (called === "(" || called === "by")) {
      take()
      return aggregation(aggregated)
    }
    const ranged = overs.find((_) => _ === text)
    if (string === undefined && ranged !== undefined && called === "(") {
      take()
      return over(ranged)
    }
    if (string === undefined && called === "(")
      return { error: `1:1: parse error: unknown function with name "${text}"` }
    const found = matchers()
    return "error" in found ? found : { kind: "selector", matchers: found }
  }

  const found = expression()
  if ("error" in found) return found
  return next < tokens.list.length ? unexpected(peek()) : found
}

const isOperator = (text: string): text is Matcher["operator"] =>
  text === "=" || text === "!=" || text === "=~" || text === "!~"

const tokensOf = (query: string): { readonly list: ReadonlyArray<Token> } | ParseError => {
  const list: Array<Token> = []
  pattern.lastIndex = 0
  while (pattern.lastIndex < query.trimEnd().length) {
    const at = pattern.lastIndex + (/^\s*/.exec(query.slice(pattern.lastIndex))?.[0].length ?? 0)
    const found = pattern.exec(query)
    if (found === null) return { error: `1:${at + 1}: parse error: unexpected character: ${JSON.stringify(query[at])}` }
    const [, name, quoted, duration, sign] = found
    const token = { text: name ?? quoted ?? duration ?? sign ?? "", at }
    if (quoted === undefined) list.push(token)
    else {
      const string = unquoted(quoted)
      if (string === undefined) return { error: `1:${at + 1}: parse error: unknown escape sequence` }
      list.push({ ...token, string })
    }
  }
  return list.length === 0 ? { error: "1:1: parse error: no expression found in input" } : { list }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "'": "'" }

/** Go's escapes, without the numeric ones. */
const unquoted = (quoted: string): string | undefined => {
  const inner = quoted.slice(1, -1)
  if ([...inner.matchAll(/\\(.)/g)].some(([, letter = ""]) => escapes[letter] === undefined)) return undefined
  return inner.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)
}
