import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { errorUnder } from "../api/refusal.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { SubscriptionFields } from "../deliveries/SubscriptionFields.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { ChoiceField, Form, TextArea, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { HeaderFields } from "./HeaderFields.tsx"
import { creationOf, type IntegrationDraft, type Kind, kinds, noIntegration } from "./integration.ts"
import { words } from "./words.ts"

interface PlaceFieldsProps {
  readonly draft: IntegrationDraft
  readonly change: (change: Partial<IntegrationDraft>) => void
  readonly fields: Readonly<Record<string, string>>
}

/** Where events go: the fields of each kind. */
const PlaceFields = ({ change, draft: { headers, kind, to, url }, fields }: PlaceFieldsProps) => {
  const t = useWords(words)
  if (kind === "email")
    return (
      <TextArea
        label={t.to}
        help={t.toHelp}
        value={to}
        onChange={(to) => change({ to })}
        error={errorUnder(fields, "to")}
      />
    )
  return (
    <>
      <TextField
        label={t.url}
        help={kind === "slack" ? t.urlHelpSlack : t.urlHelpGeneric}
        type="url"
        value={url}
        onChange={(url) => change({ url })}
        error={fields["url"]}
      />
      {kind === "slack" ? null : (
        <HeaderFields
          headers={headers}
          help={t.headersHelp}
          onChange={(headers) => change({ headers })}
          fields={fields}
        />
      )}
    </>
  )
}

export const CreateDialog = () => {
  const t = useWords(words)
  const [, go] = useLocation()
  const dialog = useDialog("create")
  const { change, draft, set } = useDraft(noIntegration)
  const create = useAct(portico.integrations.create, {
    onDone: ({ integration_id, kind }) => {
      toast(kind === "email" ? t.createdMail : t.created)
      go(`/integrations/${integration_id}`, { replace: true })
    }
  })
  const fields = create.refusal?.fields ?? {}
  const input = creationOf(draft)
  const close = () => {
    create.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void create.act(input)}>
        <ChoiceField<Kind>
          legend={t.kind}
          value={draft.kind}
          onChange={set("kind")}
          choices={kinds.map((value) => ({ value, label: t[value], help: t[`${value}Help`] }))}
        />
        <TextField label={t.name} value={draft.name} onChange={set("name")} error={fields["name"]} />
        <PlaceFields draft={draft} change={change} fields={fields} />
        <SubscriptionFields value={draft} onChange={change} fields={fields} />
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
