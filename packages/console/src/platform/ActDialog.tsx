import type { ReactNode } from "react"
import { CopyAs } from "../app/CopyAs.tsx"
import { type PlatformWrite, shown, usePlatformAct } from "./usePlatform.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import type { DialogPlace } from "../ui/useDialog.ts"

interface ActDialogProps {
  readonly dialog: DialogPlace
  readonly title: string
  readonly verb: string
  readonly write: PlatformWrite
  /** What is said in passing when it is done. */
  readonly done: string
  readonly onDone?: (answer: unknown) => void
  readonly children: ReactNode
}

/** A form of one act on the platform. */
export const ActDialog = ({ children, dialog, done, onDone, title, verb, write }: ActDialogProps) => {
  const act = usePlatformAct((answer) => {
    toast(done)
    dialog.close()
    onDone?.(answer)
  })
  const close = () => {
    act.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={title}>
      <Form onSubmit={() => void act.act(write)}>
        {children}
        <RefusalBox refusal={act.refusal} />
        <Foot>
          <CopyAs calls={[shown(write)]} />
          <Button type="submit" kind="primary" busy={act.pending}>
            {verb}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
