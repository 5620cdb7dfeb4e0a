import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, SelectField, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import type { Policy } from "./group.ts"
import { words } from "./words.ts"

interface PolicyDialogProps {
  readonly groupId: string
  readonly policies: ReadonlyArray<Policy>
  readonly onClose: () => void
}

type On = "alarm" | "ok"

const empty: { readonly name: string; readonly adjustment: string; readonly alarm: string; readonly on: On } = {
  name: "",
  adjustment: "1",
  alarm: "",
  on: "alarm"
}

/** One policy more. */
export const PolicyDialog = ({ groupId, onClose, policies }: PolicyDialogProps) => {
  const t = useWords(words)
  const { draft, set } = useDraft(empty)
  const alarms = useAnswer(portico.alarms.list, {})
  const update = useAct(portico.autoscaling.update, {
    onDone: () => {
      toast(t.policySaved)
      onClose()
    }
  })
  const added = {
    name: draft.name,
    adjustment: Number(draft.adjustment),
    ...(draft.alarm === "" ? {} : { alarm_id: draft.alarm, on: draft.on })
  }
  const input = { group_id: groupId, policies: [...policies, added] }
  const errorOf = (field: string) => update.refusal?.fields[`policies.${policies.length}.${field}`]
  return (
    <Dialog open onClose={onClose} title={t.addPolicy}>
      <Form onSubmit={() => void update.act(input)}>
        <TextField label={t.name} value={draft.name} onChange={set("name")} error={errorOf("name")} />
        <TextField
          label={t.adjustment}
          help={t.adjustmentHelp}
          value={draft.adjustment}
          onChange={set("adjustment")}
          error={errorOf("adjustment")}
        />
        <SelectField
          label={t.alarm}
          value={draft.alarm}
          onChange={set("alarm")}
          choices={[
            { value: "", label: t.byHand },
            ...(alarms.data?.alarms ?? []).map((_) => ({ value: _.alarm_id, label: _.name }))
          ]}
        />
        {draft.alarm === "" ? null : (
          <SelectField<On>
            label={t.on}
            value={draft.on}
            onChange={set("on")}
            choices={[
              { value: "alarm", label: "alarm" },
              { value: "ok", label: "ok" }
            ]}
          />
        )}
        <RefusalBox refusal={update.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: update.operation, input }]} />
          <Button type="submit" kind="primary" busy={update.pending}>
            {t.addPolicy}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
