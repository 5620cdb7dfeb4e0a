import { canary, issue, type Refusal } from "../routes/refusals.ts"

type Rows = Readonly<Record<string, Refusal>>

const parameter = (type: string, msg: string, ...loc: ReadonlyArray<string | number>): Refusal => [
  issue(type, msg, "query", ...loc)
]
const moment = (name: string) =>
  parameter("value_error", "Input should be a moment of RFC 3339 with its zone, such as 2026-01-31T12:00:00Z", name)
const cursor = parameter("value_error", "Input should be the cursor of an earlier answer", "cursor")

const rows = (values: ReadonlyArray<string>, name: string, refusal: Refusal): Rows =>
  Object.fromEntries(values.map((_) => [`?${name}=${_}`, refusal]))

const filters: Rows = rows([canary, "", "ZXZlbnRzOg", "ZXZlbnRzOjE=", "ZXZlbnRzOjAx", "MQ"], "cursor", cursor)

/** What the routes of events do not take in a query. */
export const eventQueries: Readonly<Record<string, Rows>> = {
  "GET /v1/events": {
    ...filters,
    ...rows([canary, "", "2026-01-31", "2026-02-30T12:00:00Z", "now"], "since", moment("since")),
    ...rows([canary, "", "2026-01-31T12:00:00"], "until", moment("until")),
    ...rows([canary, "", "ASC"], "order", parameter("literal_error", "Input should be 'asc' or 'desc'", "order")),
    "?limit=0": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
    "?limit=1001": parameter("value_error", "Input should be a value between 1 and 1000", "limit")
  },
  "GET /v1/events/tail": {
    ...filters,
    "?limit=1": parameter("extra_forbidden", "Extra inputs are not permitted", "limit"),
    "?timeout_seconds=-1": parameter("value_error", "Input should be a value between 0 and 86400", "timeout_seconds"),
    "?timeout_seconds=1.5": parameter("value_error", "Input should be a whole number", "timeout_seconds")
  }
}
