import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Stack } from "../ui/layout.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type DatabaseDetail, followRemoval } from "./database.tsx"
import { words } from "./words.ts"

export const RemoveDialog = ({ database }: { readonly database: DatabaseDetail }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const dialog = useDialog("delete")
  const [, goTo] = useLocation()
  const { backup, engine, name, replicas, size_gb } = database
  const remove = useAct(portico.databases.remove, {
    touches: ["quotas"],
    onDone: (removed) => {
      followRemoval(removed, t.removing(name))
      goTo("/databases")
    }
  })
  const input = { engine, name }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removeTitle(name)}
      name={name}
      verb={t.removeVerb}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      <Stack tight>
        <p>{t.removeText(t.sizeOf(number(size_gb), number(replicas)))}</p>
        {backup === null ? null : <p>{t.removeBackups}</p>}
      </Stack>
    </ConfirmDialog>
  )
}
