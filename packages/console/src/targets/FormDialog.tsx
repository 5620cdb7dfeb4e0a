import type { ReactNode } from "react"
import type { Act } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"

interface FormDialogProps<Input extends object, Output> {
  readonly title: string
  /** The text of the button. */
  readonly verb: string
  readonly act: Act<Input, Output>
  readonly input: Input
  readonly open?: boolean
  readonly onClose: () => void
  /** The fields. */
  readonly children: ReactNode
}

/** The form of an act. */
export const FormDialog = <Input extends object, Output>(props: FormDialogProps<Input, Output>) => {
  const { act, children, input, onClose, open = true, title, verb } = props
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <Form onSubmit={() => void act.act(input)}>
        {children}
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
