import { CopyAs } from "../app/CopyAs.tsx"
import { type PlatformWrite, shown, usePlatformAct } from "../platform/usePlatform.ts"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { nameOf, type Volume } from "./volume.ts"
import { words } from "./volumeWords.ts"

/** Takes a volume away from its server; `?dialog=detach&of=<volume>`. */
export const DetachDialog = ({ volumes }: { readonly volumes: ReadonlyArray<Volume> }) => {
  const t = useWords(words)
  const dialog = useDialog("detach")
  const volume = volumes.find((_) => _.id === dialog.of)
  const server = volume?.attachments[0]?.server_id
  const detach = usePlatformAct(() => {
    toast(t.detached)
    dialog.close()
  })
  const write: PlatformWrite = {
    method: "DELETE",
    path: `compute/servers/${server ?? ""}/os-volume_attachments/${volume?.id ?? ""}`
  }
  return (
    <ConfirmDialog
      open={dialog.open && server !== undefined}
      title={t.detachTitle(volume === undefined ? "" : nameOf(volume))}
      verb={t.detach}
      pending={detach.pending}
      refusal={detach.refusal}
      onConfirm={() => void detach.act(write)}
      onClose={() => {
        detach.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[shown(write)]} />}
    >
      {t.detachText}
    </ConfirmDialog>
  )
}
