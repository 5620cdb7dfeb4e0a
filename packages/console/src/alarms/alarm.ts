import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Alarm = Awaited<ReturnType<typeof portico.alarms.list>>["alarms"][number]
export type Metric = Alarm["rule"]["metric"]
export type Comparison = Alarm["rule"]["comparison"]
export type Severity = Alarm["severity"]

export const metrics: ReadonlyArray<Metric> = ["cpu", "memory", "disk_read", "disk_write", "network_in", "network_out"]
export const comparisons: ReadonlyArray<Comparison> = ["gt", "ge", "lt", "le", "eq", "ne"]
export const severities: ReadonlyArray<Severity> = ["low", "moderate", "critical"]
export const alarmStates: ReadonlyArray<Alarm["state"]> = ["alarm", "ok", "insufficient_data"]

export const signs: Readonly<Record<Comparison, string>> = { gt: ">", ge: "≥", lt: "<", le: "≤", eq: "=", ne: "≠" }

export const isPercent = (metric: Metric): boolean => metric === "cpu" || metric === "memory"

export interface AlarmDraft {
  readonly name: string
  readonly description: string
  readonly severity: Severity
  readonly enabled: boolean
  readonly metric: Metric
  /** `server:<id>` or `group:<id>`. */
  readonly target: string
  readonly comparison: Comparison
  readonly threshold: string
  readonly period: string
  readonly periods: string
}

export const noAlarm: AlarmDraft = {
  name: "",
  description: "",
  severity: "moderate",
  enabled: true,
  metric: "cpu",
  target: "",
  comparison: "gt",
  threshold: "80",
  period: "60",
  periods: "3"
}

export const draftOf = ({ description, enabled, name, rule, severity }: Alarm): AlarmDraft => ({
  name,
  description: description ?? "",
  severity,
  enabled,
  metric: rule.metric,
  target: rule.group_id === undefined ? `server:${rule.instance_id ?? ""}` : `group:${rule.group_id}`,
  comparison: rule.comparison,
  threshold: String(rule.threshold),
  period: String(rule.period_seconds),
  periods: String(rule.evaluation_periods)
})

const targetOf = (target: string) => {
  const id = target.slice(target.indexOf(":") + 1)
  return target.startsWith("group:") ? { group_id: id } : { instance_id: id }
}

/** What the form sends. What is no number is sent as it becomes, and the gateway says so. */
export const inputOf = (_: AlarmDraft) => ({
  name: _.name,
  description: _.description === "" ? undefined : _.description,
  severity: _.severity,
  enabled: _.enabled,
  rule: {
    metric: _.metric,
    ...targetOf(_.target),
    comparison: _.comparison,
    threshold: Number(_.threshold),
    period_seconds: Number(_.period),
    evaluation_periods: Number(_.periods)
  }
})

/** A rule as a sentence. */
export const useRule = () => {
  const t = useWords(words)
  const { bytes, number } = useFormats()
  return ({ comparison, evaluation_periods, metric, period_seconds, threshold }: Alarm["rule"]): string =>
    t.ruleIs(
      t[metric],
      signs[comparison],
      isPercent(metric) ? `${number(threshold)} %` : `${bytes(threshold)}/s`,
      number((evaluation_periods * period_seconds) / 60)
    )
}

export const find: Finder = async (text, signal) => {
  const { alarms } = await portico.alarms.list({}, { signal })
  return alarms
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ alarm_id, name }) => ({ title: name, kind: words[currentLanguage()].alarm, href: `/alarms/${alarm_id}` }))
}
