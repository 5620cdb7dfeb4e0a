import { Pencil, Trash2 } from "lucide-react"
import { Link, useLocation, useParams } from "wouter"
import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono } from "../ui/layout.tsx"
import { useStateName } from "../ui/states.ts"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { type Alarm, draftOf, useRule } from "./alarm.ts"
import { AlarmDialog } from "./AlarmDialog.tsx"
import { AlarmHistory } from "./AlarmHistory.tsx"
import { MetricCurve } from "./MetricCurve.tsx"
import { words } from "./words.ts"

const About = ({ alarm }: { readonly alarm: Alarm }) => {
  const t = useWords(words)
  const stateName = useStateName()
  const ruleOf = useRule()
  const { group_id, instance_id } = alarm.rule
  const href = group_id === undefined ? `/compute/servers/${instance_id ?? ""}` : `/autoscaling/${group_id}`
  return (
    <Card>
      <Facts
        facts={[
          { label: t.state, value: <State state={alarm.state} /> },
          { label: t.reason, value: alarm.reason },
          { label: t.since, value: <Time at={alarm.last_transition_at} /> },
          { label: t.rule, value: ruleOf(alarm.rule) },
          {
            label: t.target,
            value: (
              <Link href={href}>
                <Mono>{group_id ?? instance_id}</Mono>
              </Link>
            )
          },
          { label: t.severity, value: stateName(alarm.severity) },
          { label: t.enabled, value: alarm.enabled ? "✓" : t.off },
          { label: t.evaluated, value: <Time at={alarm.evaluated_at} /> },
          ...(alarm.description === null ? [] : [{ label: t.note, value: alarm.description }])
        ]}
      />
    </Card>
  )
}

const RemoveDialog = ({ alarm: { alarm_id, name } }: { readonly alarm: Alarm }) => {
  const t = useWords(words)
  const [, go] = useLocation()
  return (
    <ActDialog
      dialog="remove"
      write={portico.alarms.remove}
      input={{ alarm_id }}
      title={t.removeTitle(name)}
      name={name}
      verb={t.remove}
      done={t.removed}
      onDone={() => go("/alarms", { replace: true })}
    >
      {t.removeText}
    </ActDialog>
  )
}

const AlarmPage = () => {
  const t = useWords(words)
  const { tier } = useMe()
  const { alarm_id = "" } = useParams()
  const change = useDialog("change")
  const remove = useDialog("remove")
  const answer = useAnswer(portico.alarms.show, { alarm_id }, { everyMillis: 30_000 })
  return (
    <Page
      title={answer.data?.name ?? t.alarm}
      up={{ href: "/alarms", title: t.title }}
      actions={
        <>
          <Button icon={Pencil} disabled={tier < 1} onClick={() => change.show()}>
            {t.change}
          </Button>
          <Button kind="danger" icon={Trash2} disabled={tier < 2} onClick={() => remove.show()}>
            {t.remove}
          </Button>
        </>
      }
    >
      <Answered answer={answer}>
        {(alarm) => (
          <>
            <About alarm={alarm} />
            <Card title={t.lastHours}>
              <MetricCurve
                metric={alarm.rule.metric}
                serverId={alarm.rule.instance_id}
                threshold={alarm.rule.threshold}
              />
            </Card>
            <AlarmHistory alarmId={alarm_id} />
            {change.open ? (
              <AlarmDialog
                title={`${t.change}: ${alarm.name}`}
                verb={t.change}
                done={t.changed}
                initial={draftOf(alarm)}
                write={portico.alarms.update}
                inputOf={(_) => ({ alarm_id, ..._ })}
                onClose={change.close}
              />
            ) : null}
            <RemoveDialog alarm={alarm} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default AlarmPage
