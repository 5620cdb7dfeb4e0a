import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Bucket } from "./useObjects.ts"
import { words } from "./words.ts"

export const RemoveBucketDialog = ({ buckets }: { readonly buckets: ReadonlyArray<Bucket> }) => {
  const t = useWords(words)
  const { of } = useDialog("remove-bucket")
  const bucket = buckets.find((_) => _.name === of)
  return (
    <ActDialog
      dialog="remove-bucket"
      write={portico.objectStorage.removeBucket}
      input={{ name: of }}
      title={t.removeTitle(of)}
      name={of}
      verb={t.remove}
      done={t.removed}
      enabled={bucket !== undefined}
      touches={["quotas"]}
    >
      <p>{t.removeText}</p>
      {bucket?.managed_by === "databases" ? <p>{t.removeManaged}</p> : null}
    </ActDialog>
  )
}
