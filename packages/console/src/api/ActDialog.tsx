import type { ReactNode } from "react"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useAct, type Write } from "./useAct.ts"

interface ActDialogProps<Input, Output> {
  /** Its name in the address: `?dialog=suspend`. */
  readonly dialog: string
  readonly write: Write<Input, Output>
  readonly input: NoInfer<Input>
  readonly title: string
  readonly verb: string
  /** What is said in passing when it is done. */
  readonly done: string
  /** The name that has to be typed. */
  readonly name?: string | undefined
  /** Whether there is something that it can be done to. */
  readonly enabled?: boolean
  readonly touches?: ReadonlyArray<string>
  readonly onDone?: () => void
  readonly children: ReactNode
}

/** One act on one thing, which the person confirms. */
export const ActDialog = <Input extends object, Output>(props: ActDialogProps<Input, Output>) => {
  const { children, done, enabled = true, input, name, onDone, title, touches, verb, write } = props
  const dialog = useDialog(props.dialog)
  const act = useAct(write, {
    touches,
    onDone: () => {
      toast(done)
      if (onDone === undefined) dialog.close()
      else onDone()
    }
  })
  return (
    <ConfirmDialog
      open={dialog.open && enabled}
      title={title}
      name={name}
      verb={verb}
      pending={act.pending}
      refusal={act.refusal}
      onConfirm={() => void act.act(input)}
      onClose={() => {
        act.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: act.operation, input }]} />}
    >
      {children}
    </ConfirmDialog>
  )
}
