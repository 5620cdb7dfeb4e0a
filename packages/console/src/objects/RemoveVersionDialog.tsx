import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { ObjectVersion } from "./useObjects.ts"
import { words } from "./words.ts"

/** One version in an address: ids of versions hold no slash, keys hold any. */
export const idOf = ({ key, version_id }: { readonly key: string; readonly version_id: string }): string =>
  `${version_id}/${key}`

interface RemoveVersionDialogProps {
  readonly bucket: string
  readonly versions: ReadonlyArray<ObjectVersion>
}

/** Deleting a marker loses nothing, so that only a version with content asks for the name. */
export const RemoveVersionDialog = ({ bucket, versions }: RemoveVersionDialogProps) => {
  const t = useWords(words)
  const dialog = useDialog("remove-version")
  const version = versions.find((_) => idOf(_) === dialog.of)
  const isMarker = version?.delete_marker === true
  const remove = useAct(portico.objectStorage.removeObject, {
    touches: ["quotas"],
    onDone: () => {
      toast(isMarker ? t.markerRemoved : t.versionRemoved)
      dialog.close()
    }
  })
  const input = { name: bucket, key: version?.key ?? "", version_id: version?.version_id }
  return (
    <ConfirmDialog
      open={dialog.open && version !== undefined}
      title={t.removeVersion(version?.key ?? "")}
      name={isMarker ? undefined : version?.key}
      verb={t.delete}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {isMarker ? t.removeMarkerText : t.removeVersionText}
    </ConfirmDialog>
  )
}
