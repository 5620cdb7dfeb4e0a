import { useState } from "react"
import { ActDialog } from "../platform/ActDialog.tsx"
import { listOf } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { SelectField, TextField } from "../ui/form.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { Server } from "../compute/server.ts"
import { nameOf, type Volume } from "./volume.ts"
import { words } from "./volumeWords.ts"

interface OfVolume {
  readonly volume: Volume
}

const ExtendDialog = ({ volume }: OfVolume) => {
  const t = useWords(words)
  const [size, setSize] = useState(String(volume.size + 10))
  const isFree = volume.status === "available"
  return (
    <ActDialog
      dialog={useDialog("extend")}
      title={t.extendTitle(nameOf(volume))}
      verb={t.extend}
      write={{
        method: "POST",
        path: `volume/volumes/${volume.id}/action`,
        body: { "os-extend": { new_size: Number(size) } }
      }}
      done={t.extended}
    >
      {isFree ? null : <p>{t.extendOnlyFree}</p>}
      <TextField
        label={t.newSize}
        help={t.newSizeHelp(String(volume.size))}
        inputMode="numeric"
        value={size}
        onChange={setSize}
      />
    </ActDialog>
  )
}

const SnapshotDialog = ({ volume }: OfVolume) => {
  const t = useWords(words)
  const [name, setName] = useState("")
  const isUsed = volume.status === "in-use"
  const snapshot = { volume_id: volume.id, name, ...(isUsed ? { force: true } : {}) }
  return (
    <ActDialog
      dialog={useDialog("snapshot")}
      title={t.snapshotTitle(nameOf(volume))}
      verb={t.snapshot}
      write={{ method: "POST", path: "volume/snapshots", body: { snapshot } }}
      done={t.snapshotTaken}
    >
      <TextField label={t.snapshotName} value={name} onChange={setName} help={isUsed ? t.snapshotForce : undefined} />
    </ActDialog>
  )
}

const servers = listOf("servers", Server)

const AttachDialog = ({ volume }: OfVolume) => {
  const t = useWords(words)
  const [chosen, setChosen] = useState("")
  const all = usePlatform(servers, "compute/servers/detail?limit=500").data ?? []
  const serverId = chosen || (all[0]?.id ?? "")
  return (
    <ActDialog
      dialog={useDialog("attach")}
      title={t.attachTitle(nameOf(volume))}
      verb={t.attach}
      write={{
        method: "POST",
        path: `compute/servers/${serverId}/os-volume_attachments`,
        body: { volumeAttachment: { volumeId: volume.id } }
      }}
      done={t.attached}
    >
      {all.length === 0 ? (
        <p>{t.attachNone}</p>
      ) : (
        <SelectField
          label={t.server}
          value={serverId}
          onChange={setChosen}
          choices={all.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </ActDialog>
  )
}

/** The forms of one volume; each is there while its dialog is. */
export const VolumeDialogs = ({ volumes }: { readonly volumes: ReadonlyArray<Volume> }) => {
  const extend = useDialog("extend")
  const snapshot = useDialog("snapshot")
  const attach = useDialog("attach")
  const volume = volumes.find((_) => _.id === extend.of)
  if (volume === undefined) return null
  if (extend.open) return <ExtendDialog volume={volume} />
  if (snapshot.open) return <SnapshotDialog volume={volume} />
  return attach.open ? <AttachDialog volume={volume} /> : null
}
