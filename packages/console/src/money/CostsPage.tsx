import { ReceiptEuro } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { secondsOf } from "../overview/curve.ts"
import { MonthCurve } from "../overview/MonthCurve.tsx"
import { Answered } from "../ui/Answered.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField } from "../ui/form.tsx"
import { BigNumber, Card, Muted, Stack } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useNow } from "../words/useNow.ts"
import { useWords } from "../words/words.ts"
import { lastMonths } from "./amounts.ts"
import { useMonth, useUnit } from "./invoice.tsx"
import { words } from "./words.ts"

type Breakdown = Awaited<ReturnType<typeof portico.money.breakdown>>

/** As far back as one can choose. */
const months = 13

const groupings = ["service", "line"] as const

const CostsPage = () => {
  const t = useWords(words)
  const written = useMonth()
  const choices = lastMonths(useNow(), months)
  const [wantedMonth, setMonth] = useFilter("month")
  const [wantedGrouping, setGrouping] = useFilter("by")
  const month = choices.find((_) => _ === wantedMonth) ?? choices[0] ?? ""
  const grouping = groupings.find((_) => _ === wantedGrouping) ?? "service"
  const answer = useAnswer(portico.money.breakdown, { period: month, group_by: grouping })
  return (
    <Page title={t.costs} about={t.costsAbout}>
      <FilterBar>
        <SelectField
          label={t.month}
          value={month}
          onChange={setMonth}
          choices={choices.map((value) => ({ value, label: written(value) }))}
        />
        <SelectField
          label={t.by}
          value={grouping}
          onChange={setGrouping}
          choices={[
            { value: "service", label: t.byService },
            { value: "line", label: t.byLine }
          ]}
        />
      </FilterBar>
      <Answered answer={answer}>
        {(breakdown) => (
          <Stack>
            {month === choices[0] ? <Running /> : <Total breakdown={breakdown} />}
            <Rows breakdown={breakdown} />
          </Stack>
        )}
      </Answered>
    </Page>
  )
}

/** The costs' own refusal stands above already. */
const Running = () => {
  const t = useWords(words)
  const { money, number } = useFormats()
  const { data } = useAnswer(portico.money.forecast, {})
  return data === undefined ? null : (
    <Card title={t.forecastSummary}>
      <MonthCurve forecast={data} />
      <Muted small>
        {t.method(
          money(data.month_to_date_eur, data.currency),
          number(data.elapsed_seconds / 86_400),
          number((secondsOf(data.period.end) - secondsOf(data.period.start)) / 86_400)
        )}
      </Muted>
    </Card>
  )
}

const Total = ({ breakdown }: { readonly breakdown: Breakdown }) => {
  const t = useWords(words)
  const { money } = useFormats()
  return <BigNumber>{t.total(money(breakdown.total_eur, breakdown.currency))}</BigNumber>
}

const Rows = ({ breakdown }: { readonly breakdown: Breakdown }) => {
  const t = useWords(words)
  const { money, number, percent } = useFormats()
  const unitOf = useUnit()
  const { group_by, rows, total_cents } = breakdown
  const title = group_by === "service" ? t.service : t.line
  return (
    <Table
      label={t.costs}
      rows={rows}
      keyOf={(_) => `${_.service} ${_.unit}`}
      empty={
        <EmptyState icon={ReceiptEuro} title={t.none}>
          {t.noneText}
        </EmptyState>
      }
      columns={[
        { title, cell: (_) => _.service, sort: (_) => _.service },
        { title: t.quantity, cell: (_) => `${number(Number(_.quantity))} ${unitOf(_.unit)}`, end: true },
        {
          title: t.share,
          cell: (_) => (total_cents === 0 ? "–" : percent(_.amount_cents / total_cents)),
          end: true
        },
        { title: t.amount, cell: (_) => money(_.amount_eur, _.currency), sort: (_) => _.amount_cents, end: true }
      ]}
    />
  )
}

export default CostsPage
