import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, SelectField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const minutes = ["1", "5", "15"] as const

/** A link with which anyone can download the object for a while. It is a secret: it goes with the dialog. */
export const LinkDialog = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  const dialog = useDialog("link")
  const [valid, setValid] = useState<(typeof minutes)[number]>("5")
  const presign = useAct(portico.objectStorage.presign)
  const input = { name: bucket, key: dialog.of, expires_in: Number(valid) * 60 }
  const close = () => {
    presign.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.linkTitle(dialog.of)}>
      <Form onSubmit={() => void presign.act(input)}>
        <p>{t.linkText}</p>
        <SelectField
          label={t.linkFor}
          value={valid}
          onChange={setValid}
          choices={minutes.map((value) => ({ value, label: t.minutes(Number(value)) }))}
        />
        <RefusalBox refusal={presign.refusal} />
        {presign.answer === undefined ? null : (
          <>
            <Code text={presign.answer.url} label={t.link} />
            <p>
              {t.linkEnds}: <Time at={presign.answer.expires_at} />
            </p>
          </>
        )}
        <Foot>
          <CopyAs calls={[{ operation: presign.operation, input }]} />
          <Button type="submit" kind="primary" busy={presign.pending}>
            {t.linkMake}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
