import { CopyAs } from "../app/CopyAs.tsx"
import { shown, usePlatformAct } from "../platform/usePlatform.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextArea, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { keyWrite } from "./create/useCreateServer.ts"
import { words } from "./keyWords.ts"

export const ImportKeyDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("import")
  const { draft, reset, set } = useDraft({ name: "", publicKey: "" })
  const add = usePlatformAct(() => {
    toast(t.imported)
    reset()
    dialog.close()
  })
  const write = keyWrite(draft)
  const close = () => {
    add.reset()
    reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.import}>
      <Form onSubmit={() => void add.act(write)}>
        <TextField label={t.name} value={draft.name} onChange={set("name")} />
        <TextArea
          label={t.publicKey}
          help={t.publicKeyHelp}
          value={draft.publicKey}
          onChange={set("publicKey")}
          rows={4}
        />
        <RefusalBox refusal={add.refusal} />
        <Foot>
          <CopyAs calls={[shown(write)]} />
          <Button type="submit" kind="primary" busy={add.pending}>
            {t.import}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
