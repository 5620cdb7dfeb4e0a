import { CopyAs } from "../app/CopyAs.tsx"
import { shown, usePlatformAct } from "../platform/usePlatform.ts"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { type PowerAct, powerWrite } from "./power.ts"
import type { Server } from "./server.ts"
import { words } from "./words.ts"

interface PowerDialogProps {
  readonly act: PowerAct
  readonly servers: ReadonlyArray<Server>
  readonly title: (name: string) => string
  readonly text: string
  readonly verb: string
}

const PowerDialog = ({ act, servers, text, title, verb }: PowerDialogProps) => {
  const t = useWords(words)
  const dialog = useDialog(act)
  const power = usePlatformAct(() => {
    toast(t.powered)
    dialog.close()
  })
  const server = servers.find((_) => _.id === dialog.of)
  const write = powerWrite(dialog.of, act)
  return (
    <ConfirmDialog
      open={dialog.open && server !== undefined}
      title={title(server?.name ?? "")}
      verb={verb}
      pending={power.pending}
      refusal={power.refusal}
      onConfirm={() => void power.act(write)}
      onClose={() => {
        power.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[shown(write)]} />}
    >
      {text}
    </ConfirmDialog>
  )
}

/** The acts that interrupt a server ask first. */
export const PowerDialogs = ({ servers }: { readonly servers: ReadonlyArray<Server> }) => {
  const t = useWords(words)
  return (
    <>
      <PowerDialog act="stop" servers={servers} title={t.stopTitle} text={t.stopText} verb={t.stop} />
      <PowerDialog act="hardReboot" servers={servers} title={t.hardTitle} text={t.hardText} verb={t.hardReboot} />
    </>
  )
}
