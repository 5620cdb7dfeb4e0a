import { Pencil, Trash2 } from "lucide-react"
import { Link, useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge, State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { type Group, paceOf } from "./group.ts"
import { Policies } from "./Policies.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { ServersCurve } from "./ServersCurve.tsx"
import { words } from "./words.ts"

const About = ({ group }: { readonly group: Group }) => {
  const t = useWords(words)
  return (
    <Card>
      <Facts
        facts={[
          { label: t.state, value: <State state={group.state} /> },
          ...(group.reason === null ? [] : [{ label: t.reason, value: group.reason }]),
          { label: t.desired, value: group.desired },
          { label: t.range, value: `${group.min}–${group.max}` },
          { label: t.cooldown, value: group.cooldown_seconds },
          { label: t.flavor, value: <Mono>{group.template.flavor_id}</Mono> },
          { label: t.image, value: <Mono>{group.template.image_id}</Mono> },
          { label: t.network, value: group.template.network_id ?? t.firstNetwork },
          { label: t.observed, value: <Time at={group.observed_at} /> }
        ]}
      />
    </Card>
  )
}

const Servers = ({ group }: { readonly group: Group }) => {
  const t = useWords(words)
  const columns: ReadonlyArray<Column<Group["servers"][number]>> = [
    {
      title: t.server,
      cell: (_) => (
        <Link href={`/compute/servers/${_.server_id}`}>
          <Mono>{_.server_id}</Mono>
        </Link>
      )
    },
    {
      title: t.state,
      cell: ({ leaving, status }) => (
        <>
          <State state={status ?? "BUILD"} /> {leaving ? <Badge tone="busy">{t.leaving}</Badge> : null}
        </>
      )
    }
  ]
  return (
    <Card title={t.servers}>
      <Table label={t.servers} columns={columns} rows={group.servers} keyOf={(_) => _.server_id} empty="–" />
    </Card>
  )
}

const GroupPage = () => {
  const t = useWords(words)
  const { tier } = useMe()
  const { group_id = "" } = useParams()
  const change = useDialog("change")
  const remove = useDialog("remove")
  const known = useAnswer(portico.autoscaling.show, { group_id })
  const everyMillis = paceOf(known.data === undefined ? [] : [known.data])
  const answer = useAnswer(portico.autoscaling.show, { group_id }, { everyMillis })
  return (
    <Page
      title={answer.data?.name ?? t.group}
      up={{ href: "/autoscaling", title: t.title }}
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
        {(group) => (
          <>
            <About group={group} />
            <ServersCurve group={group} />
            <Policies group={group} />
            <Servers group={group} />
            {change.open ? <ChangeDialog group={group} onClose={change.close} /> : null}
            <RemoveDialog group={group} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default GroupPage
