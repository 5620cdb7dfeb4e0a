import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const RemoveObjectDialog = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  const { of, open } = useDialog("remove-object")
  const { data } = useAnswer(portico.objectStorage.versioning, { name: bucket }, { enabled: open })
  return (
    <ActDialog
      dialog="remove-object"
      write={portico.objectStorage.removeObject}
      input={{ name: bucket, key: of }}
      title={t.removeObject(of)}
      name={of}
      verb={t.delete}
      done={t.objectRemoved}
      touches={["quotas"]}
    >
      {data === undefined ? "" : data.versioning === "enabled" ? t.removeObjectKept : t.removeObjectLost}
    </ActDialog>
  )
}
