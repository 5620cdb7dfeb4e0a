import type { ReactNode } from "react"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { type PlatformWrite, shown, usePlatformAct } from "./usePlatform.ts"

interface RemoveDialogProps<Thing> {
  /** The dialog's name in the address, where a page has several. */
  readonly dialog?: string
  readonly things: ReadonlyArray<Thing>
  readonly idOf: (thing: Thing) => string
  readonly nameOf: (thing: Thing) => string
  /** Behind `/v1/iaas/`. */
  readonly pathOf: (thing: Thing) => string
  readonly title: (name: string) => string
  /** What is lost, and what stays. */
  readonly text: ReactNode
  readonly verb: string
  readonly done: string
  /** For what can be made again with a press: no name is to be typed. */
  readonly light?: boolean
  readonly onDone?: () => void
}

/** Deletes a thing of the platform, after its name was typed. */
export const RemoveDialog = <Thing,>(props: RemoveDialogProps<Thing>) => {
  const { done, idOf, light = false, nameOf, onDone, pathOf, text, things, title, verb } = props
  const dialog = useDialog(props.dialog ?? "delete")
  const thing = things.find((_) => idOf(_) === dialog.of)
  const remove = usePlatformAct(() => {
    toast(done)
    dialog.close()
    onDone?.()
  })
  const name = thing === undefined ? "" : nameOf(thing)
  const write: PlatformWrite = { method: "DELETE", path: thing === undefined ? "" : pathOf(thing) }
  return (
    <ConfirmDialog
      key={dialog.of}
      open={dialog.open && thing !== undefined}
      title={title(name)}
      name={light ? undefined : name}
      verb={verb}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(write)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[shown(write)]} />}
    >
      {text}
    </ConfirmDialog>
  )
}
