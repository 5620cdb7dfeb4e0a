import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Budget = Awaited<ReturnType<typeof portico.money.budgets>>["budgets"][number]

export const RemoveBudgetDialog = ({ budgets }: { readonly budgets: ReadonlyArray<Budget> }) => {
  const t = useWords(words)
  const { money } = useFormats()
  const dialog = useDialog("delete")
  const budget = budgets.find((_) => _.budget_id === dialog.of)
  const remove = useAct(portico.money.removeBudget, {
    onDone: () => {
      toast(t.removed)
      dialog.close()
    }
  })
  const input = { budget_id: dialog.of }
  return (
    <ConfirmDialog
      open={dialog.open && budget !== undefined}
      title={budget === undefined ? t.remove : t.removeTitle(money(budget.amount_cents / 100, budget.currency))}
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
