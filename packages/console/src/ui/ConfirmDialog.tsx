import { spelledOut } from "@portico/client/spelledOut"
import { type ReactNode, useState } from "react"
import type { Refusal } from "../api/refusal.ts"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import { Dialog, Foot } from "./Dialog.tsx"
import { Form, TextField } from "./form.tsx"
import { RefusalBox } from "./RefusalBox.tsx"
import { words } from "./words.ts"

interface ConfirmDialogProps {
  readonly open: boolean
  readonly title: string
  /** The name that has to be typed. Undefined: a press is enough, for what can be made again. */
  readonly name?: string | undefined
  /** What is lost, and what stays. */
  readonly children: ReactNode
  /** The text of the button, such as `Delete the database`. */
  readonly verb: string
  readonly pending: boolean
  readonly refusal: Refusal | undefined
  readonly onConfirm: () => void
  readonly onClose: () => void
  /** Further controls beside the buttons, such as "copy as". */
  readonly aside?: ReactNode
}

/** Asks for the name before something irreversible. */
export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { aside, children, name, onClose, onConfirm, open, pending, refusal, title, verb } = props
  const t = useWords(words)
  const [typed, setTyped] = useState("")
  // As it is shown, or as it was copied from elsewhere.
  const isSure = name === undefined || typed === name || typed === spelledOut(name)
  const close = () => {
    setTyped("")
    onClose()
  }
  return (
    <Dialog open={open} onClose={close} title={title}>
      <Form onSubmit={() => isSure && !pending && onConfirm()}>
        <div>{children}</div>
        {name === undefined ? null : <TextField label={t.typeName(name)} value={typed} onChange={setTyped} />}
        <RefusalBox refusal={refusal} />
        <Foot>
          {aside}
          <Button onClick={close}>{t.cancel}</Button>
          <Button type="submit" kind="danger" disabled={!isSure} busy={pending}>
            {verb}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
