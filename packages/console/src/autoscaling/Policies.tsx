import { Play, Plus } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Card, Muted, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Group, Policy } from "./group.ts"
import { PolicyDialog } from "./PolicyDialog.tsx"
import { words } from "./words.ts"

/** What changes the number by itself, or by hand. */
export const Policies = ({ group: { group_id, policies } }: { readonly group: Group }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const add = useDialog("policy")
  const trigger = useAct(portico.autoscaling.trigger, {
    onDone: ({ applied, group, reason }) =>
      toast(applied ? t.applied(String(group.desired)) : t.notApplied(reason ?? ""))
  })
  const update = useAct(portico.autoscaling.update, { onDone: () => toast(t.policySaved) })
  const without = (name: string) => ({ group_id, policies: policies.filter((_) => _.name !== name) })
  const columns: ReadonlyArray<Column<Policy>> = [
    { title: t.name, cell: (_) => _.name },
    { title: t.adjustment, cell: (_) => (_.adjustment > 0 ? `+${_.adjustment}` : _.adjustment) },
    { title: t.alarm, cell: (_) => (_.alarm_id === undefined ? t.byHand : `${_.alarm_id} → ${_.on ?? "alarm"}`) },
    {
      title: "",
      end: true,
      cell: ({ name }) => (
        <Row>
          <Button
            icon={Play}
            aria-label={`${t.trigger}: ${name}`}
            disabled={tier < 1}
            busy={trigger.pending}
            onClick={() => void trigger.act({ group_id, policy: name })}
          >
            {t.trigger}
          </Button>
          <Button
            aria-label={`${t.removePolicy}: ${name}`}
            disabled={tier < 1}
            busy={update.pending}
            onClick={() => void update.act(without(name))}
          >
            {t.removePolicy}
          </Button>
        </Row>
      )
    }
  ]
  return (
    <Card
      title={t.policies}
      actions={
        <Row>
          {policies.length === 0 ? null : (
            <CopyAs
              calls={policies.map(({ name }) => ({ operation: trigger.operation, input: { group_id, policy: name } }))}
            />
          )}
          <Button icon={Plus} disabled={tier < 1} onClick={() => add.show()}>
            {t.addPolicy}
          </Button>
        </Row>
      }
    >
      <RefusalBox refusal={trigger.refusal ?? update.refusal} />
      <Table
        label={t.policies}
        columns={columns}
        rows={policies}
        keyOf={(_) => _.name}
        empty={<Muted>{t.noPolicies}</Muted>}
      />
      {add.open ? <PolicyDialog groupId={group_id} policies={policies} onClose={add.close} /> : null}
    </Card>
  )
}
