import { canary, issue, type Refusal } from "../routes/refusals.ts"

type Rows = Readonly<Record<string, Refusal>>

const parameter = (type: string, msg: string, name: string): Refusal => [issue(type, msg, "query", name)]
const text = (name: string) => parameter("string_type", "Input should be a valid string", name)
const some = (name: string) => parameter("value_error", "Input should be a value with a length of at least 1", name)
const few = (name: string, most: number) =>
  parameter("value_error", `Input should be a value with a length of at most ${most}`, name)
const moment = (name: string) =>
  parameter("value_error", "Input should be a moment of RFC 3339 with its zone, such as 2026-01-31T12:00:00Z", name)
const status = parameter("value_error", "Input should be a status such as 201, or a class such as 4xx", "status")
const methods = "Input should be 'POST', 'PUT', 'PATCH', 'DELETE' or 'GET'"
const cursor = parameter("value_error", "Input should be the cursor of an earlier answer", "cursor")

const rows = (values: ReadonlyArray<string>, name: string, refusal: Refusal): Rows =>
  Object.fromEntries(values.map((_) => [`?${name}=${_}`, refusal]))

const names = ["project_id", "credential_id", "user_id", "route", "resource", "request_id"]

const moments = [canary, "", "2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "1769860800", "now"]

const filters: Rows = {
  ...Object.fromEntries(names.map((_) => [`?${_}=`, some(_)])),
  ...Object.fromEntries(
    names.map((_) => {
      // The longest key of an object has 1,024 bytes.
      const most = _ === "resource" ? 1024 : 500
      return [`?${_}=${"x".repeat(most + 1)}`, few(_, most)]
    })
  ),
  ...Object.fromEntries(names.map((_) => [`?${_}=${canary}&${_}=${canary}`, text(_)])),
  ...rows(moments, "since", moment("since")),
  ...rows(moments, "until", moment("until")),
  ...rows([canary, "", "20", "2010", "600", "0xx", "2XX", "2x", "xx", "201%20", "%00"], "status", status),
  ...rows([canary, "", "post", "HEAD"], "method", parameter("literal_error", methods, "method")),
  ...rows([canary, "", "YXVkaXQ6", "YXVkaXQ6MQ==", "YXVkaXQ6MDE", "YXVkaXQ6LTE", "MQ"], "cursor", cursor)
}

/** What the routes of the audit do not take in a query. */
export const auditQueries: Readonly<Record<string, Rows>> = {
  "GET /v1/audit": {
    ...filters,
    ...rows(
      [canary, "", "ASC", "newest"],
      "order",
      parameter("literal_error", "Input should be 'asc' or 'desc'", "order")
    ),
    "?limit=0": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
    "?limit=1001": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
    "?limit=1.5": parameter("value_error", "Input should be a whole number", "limit")
  },
  "GET /v1/audit/export": {
    ...filters,
    "?limit=1": parameter("extra_forbidden", "Extra inputs are not permitted", "limit")
  }
}
