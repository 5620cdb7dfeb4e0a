import { canary, type Issue, issue, type Refusal } from "../routes/refusals.ts"

type Values = Readonly<Record<string, ReadonlyArray<Issue>>>

const text = issue("string_type", "Input should be a valid string")
const number = issue("number_type", "Input should be a valid number")
const integer = issue("value_error", "Input should be an integer")
const flag = issue("bool_type", "Input should be a valid boolean")
const list = issue("list_type", "Input should be a valid list")
const object = issue("model_attributes_type", "Input should be a valid object")
const missing = issue("missing", "Field required")
const extra = issue("extra_forbidden", "Extra inputs are not permitted")
const some = issue("value_error", "Input should be a value with a length of at least 1")
const most = (length: number) => issue("value_error", `Input should be a value with a length of at most ${length}`)
const line = issue("value_error", "Input should be text of one line")
const prose = issue("value_error", "Input should be text without control characters")
const moment = issue("value_error", "Input should be a moment of RFC 3339 with its zone, such as 2026-01-31T12:00:00Z")
const different = issue("value_error", "Input should be different services")
const kind = issue("literal_error", "Input should be 'incident' or 'maintenance'")
const impact = issue("literal_error", "Input should be 'minor', 'major' or 'critical'")
const severity = issue("literal_error", "Input should be 'low', 'moderate' or 'critical'")
const service = issue(
  "literal_error",
  "Input should be 'compute', 'storage', 'network', 'portal', 'api', 'billing', 'events', 'object-storage' or 'databases'"
)
const metrics = "'cpu', 'memory', 'disk_read', 'disk_write', 'network_in' or 'network_out'"
const metric = issue("literal_error", `Input should be ${metrics}`)
const comparison = issue("literal_error", "Input should be 'lt', 'le', 'eq', 'ne', 'ge' or 'gt'")
const period = issue("value_error", "Input should be a value between 60 and 3600")
const periods = issue("value_error", "Input should be a value between 1 and 24")
const oneTarget = issue("value_error", "Input should be either instance_id or group_id")

const at = (wrong: Issue, ...loc: ReadonlyArray<string | number>): Issue => ({ ...wrong, loc })

const rule = { metric: "cpu", instance_id: "i", comparison: "gt", threshold: 1 }
const ruleWith = (more: object) => JSON.stringify({ ...rule, ...more })

const rules: Values = {
  null: [object],
  [`"${canary}"`]: [object],
  "{}": [at(missing, "metric"), at(missing, "comparison"), at(missing, "threshold")],
  [ruleWith({ metric: canary })]: [at(metric, "metric")],
  [ruleWith({ instance_id: "" })]: [at(some, "instance_id")],
  [ruleWith({ instance_id: "x".repeat(65) })]: [at(most(64), "instance_id")],
  [ruleWith({ group_id: "asg-1" })]: [oneTarget],
  [JSON.stringify({ metric: "cpu", comparison: "gt", threshold: 1 })]: [oneTarget],
  [ruleWith({ comparison: ">" })]: [at(comparison, "comparison")],
  [ruleWith({ threshold: "1" })]: [at(number, "threshold")],
  [ruleWith({ threshold: null })]: [at(number, "threshold")],
  [ruleWith({ period_seconds: 59 })]: [at(period, "period_seconds")],
  [ruleWith({ period_seconds: 60.5 })]: [at(integer, "period_seconds")],
  [ruleWith({ evaluation_periods: 25 })]: [at(periods, "evaluation_periods")],
  [ruleWith({ evaluation_periods: 0 })]: [at(periods, "evaluation_periods")],
  [ruleWith({ project_id: canary })]: [at(extra, "project_id")]
}

const words = (longest: number, wrong: Issue, letters: ReadonlyArray<string>): Values => ({
  null: [text],
  "7": [text],
  '""': [some],
  [`"${canary}${"x".repeat(longest)}"`]: [most(longest)],
  ...Object.fromEntries(letters.map((_) => [`"${canary}${_}"`, [wrong]]))
})

const alarm = {
  name: words(200, line, ["\\n", "\\u0000", "\\ud800"]),
  description: words(1000, line, ["\\n", "\\u0000"]),
  severity: { null: [severity], '"high"': [severity] },
  enabled: { null: [flag], '"true"': [flag], "1": [flag] },
  rule: rules
}

const create = "POST /v1/alarms"
const update = "PATCH /v1/alarms/:alarm_id"
const tell = "POST /v1/status/incidents"

export const monitoringGood = {
  [create]: { name: "hot", rule },
  [update]: { name: "hot" },
  [tell]: { title: "fine" }
} as const

/** The rows of the routes that take a body: what is fine, and what each field does not take. */
export const monitoringRequests = {
  [create]: { good: monitoringGood[create], fields: alarm },
  [update]: { good: monitoringGood[update], fields: alarm },
  [tell]: {
    good: monitoringGood[tell],
    fields: {
      kind: { null: [kind], '"Incident"': [kind] },
      title: words(200, line, ["\\n", "\\u0000", "\\ud800"]),
      services: {
        null: [list],
        '"compute"': [list],
        '["nova"]': [at(service, 0)],
        '["compute","compute"]': [different]
      },
      severity: { null: [impact], '"low"': [impact] },
      starts_at: { null: [text], "7": [text], '"2026-01-31"': [moment], '"2026-02-30T00:00:00Z"': [moment] },
      ends_at: { null: [text], '"2026-01-31T00:00:00"': [moment] },
      message: words(4000, prose, ["\\u0000", "\\r"])
    }
  }
} as const

export const monitoringRequired = { [create]: ["name", "rule"], [update]: [], [tell]: [] } as const

const parameter = (wrong: Issue, name: string): Refusal => [{ ...wrong, loc: ["query", name] }]
const step = issue("value_error", "Input should be a value between 15 and 86400")
const whole = issue("value_error", "Input should be a whole number")
const state = issue("literal_error", "Input should be 'ok', 'alarm' or 'insufficient_data'")

/** What the routes with parameters do not take. */
export const monitoringQueries: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/alarms": Object.fromEntries(
    [canary, "", "OK", "insufficient%20data", "ok,alarm"].map((_) => [`?state=${_}`, parameter(state, "state")])
  ),
  "GET /v1/metrics/instances/:id/history": {
    ...Object.fromEntries([canary, "", "CPU", "cpu%22%7D"].map((_) => [`?metric=${_}`, parameter(metric, "metric")])),
    ...Object.fromEntries(
      ["from", "to"].flatMap((name) =>
        [canary, "", "0", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T00:00:00"].map((_) => [
          `?${name}=${_}`,
          parameter(moment, name)
        ])
      )
    ),
    ...Object.fromEntries(["14", "86401", "-60"].map((_) => [`?step=${_}`, parameter(step, "step")])),
    "?step=15.5": parameter(whole, "step"),
    "?step=60&step=60": parameter(text, "step")
  }
}
