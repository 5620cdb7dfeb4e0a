import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import { creationOf, noGroup } from "./group.ts"
import { NumberFields, TemplateFields } from "./GroupFields.tsx"
import { words } from "./words.ts"

export const CreateDialog = () => {
  const t = useWords(words)
  const [, go] = useLocation()
  const dialog = useDialog("create")
  const { draft, set } = useDraft(noGroup)
  const create = useAct(portico.autoscaling.create, {
    onDone: (group) => {
      const href = `/autoscaling/${group.group_id}`
      followWork({
        title: t.making(group.name),
        href,
        wait: (report) => portico.autoscaling.create.wait(group, { onProgress: (_) => report(_.state) })
      })
      go(href)
    }
  })
  const fields = create.refusal?.fields ?? {}
  const input = creationOf(draft)
  return (
    <Dialog open={dialog.open} onClose={dialog.close} title={t.create}>
      <Form onSubmit={() => void create.act(input)}>
        <TextField label={t.name} help={t.nameHelp} value={draft.name} onChange={set("name")} error={fields["name"]} />
        <NumberFields draft={draft} set={set} fields={fields} />
        <TemplateFields draft={draft} set={set} fields={fields} />
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
