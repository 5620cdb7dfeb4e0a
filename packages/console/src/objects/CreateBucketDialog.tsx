import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const CreateBucketDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create-bucket")
  const [name, setName] = useState("")
  const close = () => {
    create.reset()
    setName("")
    dialog.close()
  }
  const create = useAct(portico.objectStorage.createBucket, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.created(name))
      close()
    }
  })
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void create.act({ name })}>
        <TextField
          label={t.name}
          help={t.nameHelp}
          value={name}
          onChange={setName}
          error={create.refusal?.fields["name"]}
        />
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input: { name } }]} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
