import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { useWords } from "../words/words.ts"
import type { Server } from "./server.ts"
import { words } from "./words.ts"

interface DeleteServerDialogProps {
  readonly servers: ReadonlyArray<Server>
  readonly onDone?: () => void
}

export const DeleteServerDialog = ({ onDone, servers }: DeleteServerDialogProps) => {
  const t = useWords(words)
  return (
    <RemoveDialog
      things={servers}
      idOf={(_) => _.id}
      nameOf={(_) => _.name}
      pathOf={(_) => `compute/servers/${_.id}`}
      title={t.deleteTitle}
      text={t.deleteText}
      verb={t.delete}
      done={t.deleted}
      {...(onDone === undefined ? {} : { onDone })}
    />
  )
}
