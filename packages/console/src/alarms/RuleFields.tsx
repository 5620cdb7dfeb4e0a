import * as v from "valibot"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Pair, SelectField, TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { type AlarmDraft, type Comparison, comparisons, isPercent, type Metric, metrics, signs } from "./alarm.ts"
import { MetricCurve, thresholdOf } from "./MetricCurve.tsx"
import { words } from "./words.ts"

const Servers = v.object({ servers: v.array(v.object({ id: v.string(), name: v.nullish(v.string(), "") })) })

/** What an alarm can watch: `server:<id>` and `group:<id>` with their names. */
const useTargets = () => {
  const t = useWords(words)
  const servers = usePlatform(Servers, "compute/servers?limit=1000")
  const groups = useAnswer(portico.autoscaling.list, {})
  return [
    ...(groups.data?.groups ?? []).map((_) => ({ value: `group:${_.group_id}`, label: `${t.group} ${_.name}` })),
    ...(servers.data?.servers ?? []).map((_) => ({ value: `server:${_.id}`, label: `${t.server} ${_.name}` }))
  ]
}

interface RuleFieldsProps {
  readonly draft: AlarmDraft
  readonly set: <Key extends keyof AlarmDraft>(key: Key) => (value: AlarmDraft[Key]) => void
  readonly fields: Readonly<Record<string, string>>
}

/** What is watched and when it is met, with the curve beneath. */
export const RuleFields = ({ draft, fields, set }: RuleFieldsProps) => {
  const t = useWords(words)
  const targets = useTargets()
  const { metric, target } = draft
  const server = target.startsWith("server:") ? target.slice("server:".length) : undefined
  return (
    <>
      <Pair>
        <SelectField
          label={t.target}
          value={target}
          onChange={set("target")}
          error={fields["rule"] ?? fields["rule.instance_id"] ?? fields["rule.group_id"]}
          choices={[{ value: "", label: "–" }, ...targets]}
        />
        <SelectField<Metric>
          label={t.metric}
          value={metric}
          onChange={set("metric")}
          choices={metrics.map((value) => ({ value, label: t[value] }))}
        />
      </Pair>
      <Pair>
        <SelectField<Comparison>
          label={t.comparison}
          value={draft.comparison}
          onChange={set("comparison")}
          choices={comparisons.map((value) => ({ value, label: signs[value] }))}
        />
        <TextField
          label={t.threshold}
          help={isPercent(metric) ? t.percentHelp : t.bytesHelp}
          inputMode="decimal"
          value={draft.threshold}
          onChange={set("threshold")}
          error={fields["rule.threshold"]}
        />
        <TextField
          label={t.period}
          help={t.periodHelp}
          inputMode="numeric"
          value={draft.period}
          onChange={set("period")}
          error={fields["rule.period_seconds"]}
        />
        <TextField
          label={t.periods}
          help={t.periodsHelp}
          inputMode="numeric"
          value={draft.periods}
          onChange={set("periods")}
          error={fields["rule.evaluation_periods"]}
        />
      </Pair>
      {target === "" ? null : (
        <MetricCurve metric={metric} serverId={server} threshold={thresholdOf(draft.threshold)} />
      )}
    </>
  )
}
