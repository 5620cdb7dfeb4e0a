import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { type Credential, MintedSecrets } from "./credential.tsx"
import { words } from "./words.ts"

export const RotateDialog = ({ credentials }: { readonly credentials: ReadonlyArray<Credential> }) => {
  const t = useWords(words)
  const dialog = useDialog("rotate")
  const [minutes, setMinutes] = useState("60")
  const rotate = useAct(portico.credentials.rotate)
  const credential = credentials.find((_) => _.credential_id === dialog.of)
  const input = { credential_id: dialog.of, overlap_seconds: Number(minutes) * 60 }
  const close = () => {
    rotate.reset()
    dialog.close()
  }
  if (rotate.answer !== undefined) return <MintedSecrets minted={rotate.answer} onClose={close} />
  return (
    <Dialog
      open={dialog.open && credential !== undefined}
      onClose={close}
      title={t.rotateTitle(credential?.label ?? "")}
    >
      <Form onSubmit={() => void rotate.act(input)}>
        <p>{t.rotateText}</p>
        <TextField
          label={t.overlap}
          help={t.overlapHelp}
          inputMode="numeric"
          value={minutes}
          onChange={setMinutes}
          error={rotate.refusal?.fields["overlap_seconds"]}
        />
        <RefusalBox refusal={rotate.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: rotate.operation, input }]} />
          <Button type="submit" kind="primary" busy={rotate.pending}>
            {t.rotate}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
