import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import type { Group } from "./group.ts"
import { words } from "./words.ts"

export const RemoveDialog = ({ group: { group_id, name } }: { readonly group: Group }) => {
  const t = useWords(words)
  const [, go] = useLocation()
  const dialog = useDialog("remove")
  const input = { group_id }
  const remove = useAct(portico.autoscaling.remove, {
    onDone: () => {
      followWork({
        title: t.removing(name),
        href: "/autoscaling",
        wait: (report) => portico.autoscaling.remove.wait(input, { onProgress: (_) => report(_.state) })
      })
      go("/autoscaling", { replace: true })
    }
  })
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removeTitle(name)}
      name={name}
      verb={t.remove}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {t.removeText}
    </ConfirmDialog>
  )
}
