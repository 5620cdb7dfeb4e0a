import * as v from "valibot"
import { ActDialog } from "../platform/ActDialog.tsx"
import { listOf } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Pair, SelectField, TextField } from "../ui/form.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { useImages } from "../compute/lookups.ts"
import { nameOf, Snapshot } from "./volume.ts"
import { words } from "./volumeWords.ts"

const types = listOf("volume_types", v.object({ id: v.string(), name: v.string() }))
const snapshots = listOf("snapshots", Snapshot)

const empty = { name: "", size: "10", type: "", source: "" }

/** `snapshot:<id>` and `image:<id>` of the list of contents. */
const sourceOf = (value: string): object => {
  const [kind, id = ""] = value.split(":")
  return kind === "image" ? { imageRef: id } : kind === "snapshot" ? { snapshot_id: id } : {}
}

const CreateVolumeForm = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const { draft, set } = useDraft({ ...empty, source: dialog.of === "" ? "" : `snapshot:${dialog.of}` })
  const knownTypes = usePlatform(types, "volume/types").data ?? []
  const images = useImages().data ?? []
  const taken = usePlatform(snapshots, "volume/snapshots/detail?limit=500").data ?? []
  const body = {
    volume: {
      name: draft.name,
      size: Number(draft.size),
      ...(draft.type === "" ? {} : { volume_type: draft.type }),
      ...sourceOf(draft.source)
    }
  }
  return (
    <ActDialog
      dialog={dialog}
      title={t.create}
      verb={t.create}
      write={{ method: "POST", path: "volume/volumes", body }}
      done={t.created}
    >
      <TextField label={t.name} value={draft.name} onChange={set("name")} />
      <Pair>
        <TextField label={t.sizeField} inputMode="numeric" value={draft.size} onChange={set("size")} />
        <SelectField
          label={t.type}
          value={draft.type}
          onChange={set("type")}
          choices={[{ value: "", label: t.anyType }, ...knownTypes.map(({ name }) => ({ value: name, label: name }))]}
        />
      </Pair>
      <SelectField
        label={t.source}
        value={draft.source}
        onChange={set("source")}
        choices={[
          { value: "", label: t.blank },
          ...taken.map((_) => ({ value: `snapshot:${_.id}`, label: t.fromSnapshot(nameOf(_)) })),
          ...images.map((_) => ({ value: `image:${_.id}`, label: t.fromImage(nameOf(_)) }))
        ]}
      />
    </ActDialog>
  )
}

/** `?dialog=create`, or `?dialog=create&of=<snapshot>` with its content. */
export const CreateVolumeDialog = () => (useDialog("create").open ? <CreateVolumeForm /> : null)
