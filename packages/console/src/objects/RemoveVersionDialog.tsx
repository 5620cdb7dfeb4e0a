import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
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
  const { of } = useDialog("remove-version")
  const version = versions.find((_) => idOf(_) === of)
  const isMarker = version?.delete_marker === true
  return (
    <ActDialog
      dialog="remove-version"
      write={portico.objectStorage.removeObject}
      input={{ name: bucket, key: version?.key ?? "", version_id: version?.version_id }}
      title={t.removeVersion(version?.key ?? "")}
      name={isMarker ? undefined : version?.key}
      verb={t.delete}
      done={isMarker ? t.markerRemoved : t.versionRemoved}
      enabled={version !== undefined}
      touches={["quotas"]}
    >
      {isMarker ? t.removeMarkerText : t.removeVersionText}
    </ActDialog>
  )
}
