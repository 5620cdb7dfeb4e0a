import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Budget = Awaited<ReturnType<typeof portico.money.budgets>>["budgets"][number]

export const RemoveBudgetDialog = ({ budgets }: { readonly budgets: ReadonlyArray<Budget> }) => {
  const t = useWords(words)
  const { money } = useFormats()
  const { of } = useDialog("delete")
  const budget = budgets.find((_) => _.budget_id === of)
  return (
    <ActDialog
      dialog="delete"
      write={portico.money.removeBudget}
      input={{ budget_id: of }}
      title={budget === undefined ? t.remove : t.removeTitle(money(budget.amount_cents / 100, budget.currency))}
      verb={t.remove}
      done={t.removed}
      enabled={budget !== undefined}
    >
      {t.removeText}
    </ActDialog>
  )
}
