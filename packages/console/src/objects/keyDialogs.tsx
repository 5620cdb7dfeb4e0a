import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

type Credentials = Awaited<ReturnType<typeof portico.objectStorage.credentials>>

const Shown = ({ credentials }: { readonly credentials: Credentials }) => {
  const t = useWords(words)
  const { access_key, endpoint, secret_key, uid } = credentials
  const rows = [
    { label: t.accessKey, value: access_key },
    { label: t.secretKey, value: secret_key },
    { label: t.endpoint, value: endpoint },
    { label: t.uid, value: uid }
  ]
  return rows.map(({ label, value }) => (
    <Stack tight key={label}>
      <strong>{label}</strong>
      <Code text={value} label={label} />
    </Stack>
  ))
}

/** The secret is asked for with a press, and gone with the dialog. */
export const ShowKeyDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("show-key")
  const show = useAct(portico.objectStorage.credentials)
  const close = () => {
    show.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.showing}>
      <Form onSubmit={() => void show.act({})}>
        <p>{t.showText}</p>
        {show.answer === undefined ? null : <Shown credentials={show.answer} />}
        <RefusalBox refusal={show.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: show.operation, input: {} }]} />
          {show.answer === undefined ? (
            <Button type="submit" kind="primary" busy={show.pending}>
              {t.show}
            </Button>
          ) : null}
        </Foot>
      </Form>
    </Dialog>
  )
}

export const RotateKeyDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("rotate-key")
  const rotate = useAct(portico.objectStorage.rotate)
  const close = () => {
    rotate.reset()
    dialog.close()
  }
  if (rotate.answer !== undefined)
    return (
      <SecretOnce
        title={t.rotated}
        secrets={[
          { label: t.accessKey, value: rotate.answer.access_key },
          { label: t.secretKey, value: rotate.answer.secret_key }
        ]}
        onClose={close}
      />
    )
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.rotateTitle}
      verb={t.rotate}
      pending={rotate.pending}
      refusal={rotate.refusal}
      onConfirm={() => void rotate.act({})}
      onClose={close}
      aside={<CopyAs calls={[{ operation: rotate.operation, input: {} }]} />}
    >
      {t.rotateText}
    </ConfirmDialog>
  )
}

export const RemoveKeyDialog = () => {
  const t = useWords(words)
  const { of } = useDialog("remove-key")
  return (
    <ActDialog
      dialog="remove-key"
      write={portico.objectStorage.removeKey}
      input={{ access_key: of }}
      title={t.removeKeyTitle}
      name={of}
      verb={t.removeKey}
      done={t.keyRemoved}
      enabled={of !== ""}
    >
      {t.removeKeyText}
    </ActDialog>
  )
}
