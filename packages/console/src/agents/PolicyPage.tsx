import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { hasRole, useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { useProject } from "../app/useProject.ts"
import { networksOf as wordsIn } from "../credentials/networks.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Foot } from "../ui/Dialog.tsx"
import { CheckField, Form, TextArea } from "../ui/form.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

type Policy = Awaited<ReturnType<typeof portico.agents.showPolicy>>

const named = ["billed", "irreversible", "writes", "person"] as const

const PolicyForm = ({ policy }: { readonly policy: Policy }) => {
  const t = useWords(words)
  const me = useMe()
  const { project_id } = useProject()
  const others = policy.confirm.filter((_) => !named.some((name) => name === _))
  const { change, draft, set } = useDraft({
    enabled: policy.enabled,
    confirm: policy.confirm.filter((_) => named.some((name) => name === _)),
    tools: others.join("\n")
  })
  const put = useAct(portico.agents.putPolicy, { onDone: () => toast(t.saved) })
  const input = { project_id, enabled: draft.enabled, confirm: [...draft.confirm, ...wordsIn(draft.tools)] }
  const writes = hasRole(me, "customer-owner", "customer-admin")
  const texts = {
    billed: t.confirmBilled,
    irreversible: t.confirmIrreversible,
    writes: t.confirmWrites,
    person: t.confirmPerson
  }
  return (
    <Form onSubmit={() => void put.act(input)} label={t.policy}>
      <CheckField label={t.enabled} checked={draft.enabled} onChange={set("enabled")} disabled={!writes} />
      <strong>{t.confirm}</strong>
      {named.map((name) => (
        <CheckField
          key={name}
          label={texts[name]}
          checked={draft.confirm.includes(name)}
          disabled={!writes}
          onChange={(on) =>
            change({ confirm: on ? [...draft.confirm, name] : draft.confirm.filter((_) => _ !== name) })
          }
        />
      ))}
      <TextArea
        label={t.confirmTools}
        help={t.confirmToolsHelp}
        value={draft.tools}
        onChange={set("tools")}
        readOnly={!writes}
        error={put.refusal?.fields["confirm"]}
        optional
      />
      <RefusalBox refusal={put.refusal} />
      {writes ? (
        <Foot>
          <CopyAs calls={[{ operation: put.operation, input }]} />
          <Button type="submit" kind="primary" busy={put.pending}>
            {t.save}
          </Button>
        </Foot>
      ) : (
        <Muted small>{t.writers}</Muted>
      )}
      <Muted small>
        {t.endedAt}: <Time at={policy.ended_at} />
      </Muted>
    </Form>
  )
}

const PolicyPage = () => {
  const t = useWords(words)
  const project = useProject()
  const answer = useAnswer(portico.agents.showPolicy, { project_id: project.project_id }, { enabled: !project.missing })
  return (
    <Page title={t.policy} about={t.policyAbout} up={{ href: "/agents", title: t.title }}>
      <Card>
        <Answered answer={answer}>{(policy) => <PolicyForm key={policy.updated_at} policy={policy} />}</Answered>
      </Card>
    </Page>
  )
}

export default PolicyPage
