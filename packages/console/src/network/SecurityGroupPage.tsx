import { Plus, Trash2 } from "lucide-react"
import { useLocation, useParams } from "wouter"
import { Page } from "../app/Page.tsx"
import { oneOf } from "../platform/lists.ts"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatform } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Stack } from "../ui/layout.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { AddRuleDialog } from "./AddRuleDialog.tsx"
import { words } from "./groupWords.ts"
import { nameOf } from "./network.ts"
import { Rules } from "./Rules.tsx"
import { SecurityGroup } from "./securityGroup.ts"

const one = oneOf("security_group", SecurityGroup)

const Acts = ({ group }: { readonly group: SecurityGroup }) => {
  const t = useWords(words)
  const may = useMay()
  const [add, remove] = [useDialog("rule"), useDialog("delete")]
  return (
    <>
      {may.change ? (
        <Button icon={Plus} kind="primary" onClick={() => add.show()}>
          {t.addRule}
        </Button>
      ) : null}
      {may.destroy && group.name !== "default" ? (
        <Button icon={Trash2} kind="danger" onClick={() => remove.show(group.id)}>
          {t.delete}
        </Button>
      ) : null}
    </>
  )
}

const SecurityGroupPage = () => {
  const t = useWords(words)
  const { group_id: id = "" } = useParams()
  const [, navigate] = useLocation()
  const add = useDialog("rule")
  const answer = usePlatform(one, `network/security-groups/${encodeURIComponent(id)}`)
  // Of another group nothing is shown while this one loads.
  const group = answer.data?.id === id ? answer.data : undefined
  return (
    <Page
      title={group === undefined ? t.group : nameOf(group)}
      about={group?.description}
      up={{ href: "/network/security-groups", title: t.groups }}
      actions={group === undefined ? null : <Acts group={group} />}
    >
      <Answered answer={{ ...answer, data: group, pending: group === undefined && answer.refusal === undefined }}>
        {(known) => (
          <Stack>
            <Rules direction="ingress" rules={known.security_group_rules} />
            <Rules direction="egress" rules={known.security_group_rules} />
            <RemoveDialog
              dialog="deleteRule"
              light
              things={known.security_group_rules}
              idOf={(_) => _.id}
              nameOf={() => t.deleteRule}
              pathOf={(_) => `network/security-group-rules/${_.id}`}
              title={(name) => `${name}?`}
              text={t.deleteRuleText}
              verb={t.deleteRule}
              done={t.ruleDeleted}
            />
            <RemoveDialog
              things={[known]}
              idOf={(_) => _.id}
              nameOf={nameOf}
              pathOf={(_) => `network/security-groups/${_.id}`}
              title={t.deleteTitle}
              text={t.deleteText}
              verb={t.delete}
              done={t.deleted}
              onDone={() => navigate("/network/security-groups")}
            />
          </Stack>
        )}
      </Answered>
      {add.open ? <AddRuleDialog groupId={id} /> : null}
    </Page>
  )
}

export default SecurityGroupPage
