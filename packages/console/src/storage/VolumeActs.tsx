import { Camera, Paperclip, Scaling, Trash2, Unplug } from "lucide-react"
import { useMay } from "../platform/may.ts"
import { Button } from "../ui/Button.tsx"
import { Muted } from "../ui/layout.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Volume } from "./volume.ts"
import { words } from "./volumeWords.ts"

/** What can be done with the volume of a page. */
export const VolumeActs = ({ volume }: { readonly volume: Volume }) => {
  const t = useWords(words)
  const may = useMay()
  const [attach, detach, extend] = [useDialog("attach"), useDialog("detach"), useDialog("extend")]
  const [snapshot, remove] = [useDialog("snapshot"), useDialog("delete")]
  if (!may.change) return <Muted small>{t.readOnly}</Muted>
  const isFree = volume.status === "available"
  const isUsed = volume.status === "in-use"
  return (
    <>
      {isUsed ? (
        <Button icon={Unplug} onClick={() => detach.show(volume.id)}>
          {t.detach}
        </Button>
      ) : (
        <Button icon={Paperclip} disabled={!isFree} onClick={() => attach.show(volume.id)}>
          {t.attach}
        </Button>
      )}
      <Button icon={Scaling} disabled={!isFree} onClick={() => extend.show(volume.id)}>
        {t.extend}
      </Button>
      <Button icon={Camera} disabled={!isFree && !isUsed} onClick={() => snapshot.show(volume.id)}>
        {t.snapshot}
      </Button>
      {may.destroy ? (
        <Button icon={Trash2} kind="danger" disabled={isUsed} onClick={() => remove.show(volume.id)}>
          {t.delete}
        </Button>
      ) : null}
    </>
  )
}
