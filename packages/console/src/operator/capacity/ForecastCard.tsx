import { useState } from "react"
import { Chart } from "../../ui/Chart.tsx"
import { FilterBar, SelectField } from "../../ui/form.tsx"
import { Card, Muted } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useFilter } from "../../ui/useFilter.ts"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { type Capacity, forecastOf, type PaceRow } from "../common/capacity.ts"
import { words as common } from "../common/words.ts"
import { words } from "./words.ts"

const firstToEnd = (rows: ReadonlyArray<PaceRow>): PaceRow | undefined =>
  rows.toSorted((one, other) => (one.exhausted_at ?? "9").localeCompare(other.exhausted_at ?? "9"))[0]

const Curve = ({ row }: { readonly row: PaceRow }) => {
  const t = useWords(words)
  const c = useWords(common)
  const { day, number } = useFormats()
  const [now] = useState(() => new Date().getTime())
  const { times, values } = forecastOf(row, now)
  const end = row.exhausted_at === null ? t.notAtThisPace : day(row.exhausted_at)
  return (
    <Chart
      summary={t.summary(c[row.dimension], number(row.allocated), number(row.limit), end)}
      times={times}
      series={[{ label: t.atPace, values, style: "dashed" }]}
      threshold={{ label: c.budget, value: row.limit }}
      format={number}
    />
  )
}

/** When the budget is used up at the present pace. */
export const ForecastCard = ({ pace }: { readonly pace: Capacity["pace"] }) => {
  const t = useWords(words)
  const c = useWords(common)
  const { number } = useFormats()
  const [chosen, choose] = useFilter("of")
  const row = pace.dimensions.find((_) => _.dimension === chosen) ?? firstToEnd(pace.dimensions)
  const columns: ReadonlyArray<Column<PaceRow>> = [
    { title: c.dimension, cell: (_) => c[_.dimension] },
    { title: t.allocated, end: true, cell: (_) => c.sold(number(_.allocated), number(_.limit)) },
    { title: t.perDay, end: true, cell: (_) => number(_.per_day) },
    {
      title: t.exhausted,
      cell: ({ exhausted_at }) =>
        exhausted_at === null ? (
          t.notAtThisPace
        ) : (
          <>
            <Time at={exhausted_at} as="day" /> · <Time at={exhausted_at} />
          </>
        )
    }
  ]
  if (row === undefined) return null
  return (
    <Card title={t.forecast}>
      <Muted>{t.pace(pace.days)}</Muted>
      <FilterBar>
        <SelectField
          label={c.dimension}
          value={row.dimension}
          onChange={choose}
          choices={pace.dimensions.map(({ dimension }) => ({ value: dimension, label: c[dimension] }))}
        />
      </FilterBar>
      <Curve row={row} />
      <Table label={t.forecast} columns={columns} rows={pace.dimensions} keyOf={(_) => _.dimension} empty={null} />
    </Card>
  )
}
