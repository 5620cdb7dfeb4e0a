import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useProject } from "../app/useProject.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, SelectField } from "../ui/form.tsx"
import { Facts } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { idOf, useSubjects } from "./policy.ts"
import { words } from "./words.ts"

/** Puts a credential or a person into a unit, or takes it out of the one that it is in. */
export const PlaceDialog = ({ units }: { readonly units: ReadonlyArray<string> }) => {
  const dialog = useDialog("place")
  return dialog.open ? <Asked units={units} of={dialog.of} onClose={dialog.close} /> : null
}

interface AskedProps {
  readonly units: ReadonlyArray<string>
  readonly of: string
  readonly onClose: () => void
}

const Asked = ({ of, onClose, units }: AskedProps) => {
  const t = useWords(words)
  const { project_id } = useProject()
  const { draft, set } = useDraft({ who: of, unit: "" })
  const id = idOf(draft.who)
  const now = useAnswer(
    portico.policy.effective,
    { project_id, ...(draft.who.startsWith("user:") ? { user_id: id } : { credential_id: id }) },
    { enabled: draft.who !== "" }
  )
  const from = draft.who === "" ? "" : (now.data?.ou ?? "")
  const done = (text: string) => () => {
    toast(text)
    onClose()
  }
  const place = useAct(portico.policy.place, { onDone: done(t.placed) })
  const takeOut = useAct(portico.policy.takeOut, { onDone: done(t.takenOut) })
  const input = { path: draft.unit, id, project_id }
  const choose = { value: "", label: t.chooseWho }
  return (
    <Dialog open onClose={onClose} title={t.place}>
      <Form onSubmit={() => void place.act(input)}>
        <p>{t.placeText}</p>
        <SelectField label={t.who} value={draft.who} onChange={set("who")} choices={[choose, ...useSubjects()]} />
        {from === "" ? null : <Facts facts={[{ label: t.unit, value: from }]} />}
        <SelectField
          label={t.unit}
          value={draft.unit}
          onChange={set("unit")}
          choices={[choose, ...units.map((value) => ({ value, label: value }))]}
        />
        <RefusalBox refusal={place.refusal ?? takeOut.refusal} />
        <Foot>
          {draft.who === "" || draft.unit === "" ? null : <CopyAs calls={[{ operation: place.operation, input }]} />}
          {from === "" ? null : (
            <Button busy={takeOut.pending} onClick={() => void takeOut.act({ path: from, id, project_id })}>
              {t.takeOut}
            </Button>
          )}
          <Button type="submit" kind="primary" busy={place.pending} disabled={draft.who === "" || draft.unit === ""}>
            {t.place}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
