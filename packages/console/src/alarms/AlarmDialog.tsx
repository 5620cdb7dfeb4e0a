import { type Write, useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, Form, Pair, SelectField, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useStateName } from "../ui/states.ts"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { type AlarmDraft, inputOf, type Severity, severities } from "./alarm.ts"
import { RuleFields } from "./RuleFields.tsx"
import { words } from "./words.ts"

interface AlarmDialogProps<Input, Output> {
  readonly title: string
  readonly verb: string
  readonly done: string
  readonly initial: AlarmDraft
  readonly write: Write<Input, Output>
  readonly inputOf: (input: ReturnType<typeof inputOf>) => NoInfer<Input>
  readonly onClose: () => void
}

/** An alarm, with the metric drawn and the threshold in it while it is typed. */
export const AlarmDialog = <Input extends object, Output>(props: AlarmDialogProps<Input, Output>) => {
  const { done, initial, onClose, title, verb, write } = props
  const t = useWords(words)
  const stateName = useStateName()
  const form = useDraft(initial)
  const { draft, set } = form
  const act = useAct(write, {
    onDone: () => {
      toast(done)
      onClose()
    }
  })
  const fields = act.refusal?.fields ?? {}
  const input = props.inputOf(inputOf(draft))
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <Form onSubmit={() => void act.act(input)}>
        <Pair>
          <TextField label={t.name} value={draft.name} onChange={set("name")} error={fields["name"]} />
          <SelectField<Severity>
            label={t.severity}
            value={draft.severity}
            onChange={set("severity")}
            choices={severities.map((value) => ({ value, label: stateName(value) }))}
          />
        </Pair>
        <RuleFields draft={draft} set={set} fields={fields} />
        <TextField
          label={t.note}
          value={draft.description}
          onChange={set("description")}
          error={fields["description"]}
          optional
        />
        <CheckField label={t.enabled} checked={draft.enabled} onChange={set("enabled")} />
        <RefusalBox refusal={act.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: act.operation, input }]} />
          <Button type="submit" kind="primary" busy={act.pending}>
            {verb}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
