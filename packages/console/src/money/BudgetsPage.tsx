import { PiggyBank, Plus } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useAnswer, usePages } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { Meter } from "../ui/Meter.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type Budget, RemoveBudgetDialog } from "./RemoveBudgetDialog.tsx"
import { BudgetDialog } from "./BudgetDialog.tsx"
import { useMonth } from "./invoice.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Budget>> => {
  const t = useWords(words)
  const me = useMe()
  const { money } = useFormats()
  const remove = useDialog("delete")
  const { data: forecast } = useAnswer(portico.money.forecast, {})
  const amountOf = ({ amount_cents, currency }: Budget) => money(amount_cents / 100, currency)
  const spent = forecast?.month_to_date_cents
  return [
    {
      title: t.amount,
      cell: (_) => (
        <>
          {amountOf(_)}
          <br />
          <Muted small>
            <Mono>{_.budget_id}</Mono>
          </Muted>
        </>
      )
    },
    {
      title: t.thisMonth,
      cell: (_) =>
        spent === undefined ? null : (
          <Meter
            label={t.thisMonth}
            used={spent}
            limit={_.amount_cents}
            text={t.used(money(spent / 100, _.currency), amountOf(_))}
          />
        )
    },
    {
      title: t.breached,
      cell: (_) => <Breach month={_.last_breached_period} now={forecast?.period.start.slice(0, 7)} />
    },
    { title: t.createdAt, cell: (_) => <Time at={_.created_at} /> },
    {
      title: "",
      end: true,
      cell: (_) =>
        me.tier < 2 ? null : (
          <RowMenu of={amountOf(_)}>
            <MenuItem danger onSelect={() => remove.show(_.budget_id)}>
              {t.remove}
            </MenuItem>
          </RowMenu>
        )
    }
  ]
}

const Breach = ({ month, now }: { readonly month: string | null; readonly now: string | undefined }) => {
  const t = useWords(words)
  const written = useMonth()
  if (month === null) return <Badge tone="good">{t.within}</Badge>
  if (month === now) return <Badge tone="bad">{t.breachedNow}</Badge>
  return <Badge tone="warn">{t.breachedIn(written(month))}</Badge>
}

const BudgetsPage = () => {
  const t = useWords(words)
  const me = useMe()
  const create = useDialog("create")
  const answer = usePages(portico.money.budgets, {})
  const columns = useColumns()
  const button =
    me.tier < 1 || answer.refusal !== undefined ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  return (
    <Page title={t.budgets} about={t.budgetsAbout} actions={button}>
      <Answered answer={answer}>
        {(pages) => {
          const budgets = pages.flatMap((_) => _.budgets)
          return (
            <>
              <Table
                label={t.budgets}
                columns={columns}
                rows={budgets}
                keyOf={(_) => _.budget_id}
                hasMore={answer.hasMore}
                more={answer.more}
                loadingMore={answer.loadingMore}
                empty={
                  <EmptyState icon={PiggyBank} title={t.noBudgets} action={button}>
                    {t.noBudgetsText}
                  </EmptyState>
                }
              />
              <RemoveBudgetDialog budgets={budgets} />
            </>
          )
        }}
      </Answered>
      <BudgetDialog />
    </Page>
  )
}

export default BudgetsPage
