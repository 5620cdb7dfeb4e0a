import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useProject } from "../app/useProject.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const UnitDialog = () => {
  const dialog = useDialog("unit")
  return dialog.open ? <Asked key={dialog.of} parent={dialog.of} onClose={dialog.close} /> : null
}

const Asked = ({ onClose, parent }: { readonly parent: string; readonly onClose: () => void }) => {
  const t = useWords(words)
  const { project_id } = useProject()
  const [path, setPath] = useState(parent === "" ? "" : `${parent}.`)
  const create = useAct(portico.policy.createUnit, {
    onDone: () => {
      toast(t.created)
      onClose()
    }
  })
  const input = { path, project_id }
  return (
    <Dialog open onClose={onClose} title={t.createUnit}>
      <Form onSubmit={() => void create.act(input)}>
        <TextField
          label={t.path}
          help={t.pathHelp}
          value={path}
          onChange={setPath}
          error={create.refusal?.fields["path"]}
          autoFocus
        />
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.createUnit}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
