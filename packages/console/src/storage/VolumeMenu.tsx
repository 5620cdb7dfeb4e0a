import { Camera, Paperclip, Scaling, Trash2, Unplug } from "lucide-react"
import { useMay } from "../platform/may.ts"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { nameOf, type Volume } from "./volume.ts"
import { words } from "./volumeWords.ts"

/** What can be done with a volume in a list. */
export const VolumeMenu = ({ volume }: { readonly volume: Volume }) => {
  const t = useWords(words)
  const may = useMay()
  const [attach, detach, extend] = [useDialog("attach"), useDialog("detach"), useDialog("extend")]
  const [snapshot, remove] = [useDialog("snapshot"), useDialog("delete")]
  const isFree = volume.status === "available"
  const isUsed = volume.status === "in-use"
  return (
    <RowMenu of={nameOf(volume)}>
      <MenuItem icon={Paperclip} disabled={!may.change || !isFree} onSelect={() => attach.show(volume.id)}>
        {t.attach}
      </MenuItem>
      <MenuItem icon={Unplug} disabled={!may.change || !isUsed} onSelect={() => detach.show(volume.id)}>
        {t.detach}
      </MenuItem>
      <MenuItem icon={Scaling} disabled={!may.change || !isFree} onSelect={() => extend.show(volume.id)}>
        {t.extend}
      </MenuItem>
      <MenuItem icon={Camera} disabled={!may.change || !(isFree || isUsed)} onSelect={() => snapshot.show(volume.id)}>
        {t.snapshot}
      </MenuItem>
      <MenuItem
        icon={Trash2}
        danger
        disabled={!may.destroy || volume.attachments.length > 0}
        onSelect={() => remove.show(volume.id)}
      >
        {t.delete}
      </MenuItem>
    </RowMenu>
  )
}
