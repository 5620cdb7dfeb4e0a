import type { portico } from "../api/portico.ts"
import { Chart } from "../ui/Chart.tsx"
import { BigNumber, Muted } from "../ui/layout.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { useSpending } from "./useSpending.ts"
import { words } from "./words.ts"

type Forecast = Awaited<ReturnType<typeof portico.money.forecast>>

/** What the running month has cost, and where that leads. */
export const MonthCurve = ({ forecast }: { readonly forecast: Forecast }) => {
  const t = useWords(words)
  const { money } = useFormats()
  const curve = useSpending(forecast)
  const { currency, forecast_eur, month_to_date_eur } = forecast
  const [spent, expected] = [money(month_to_date_eur, currency), money(forecast_eur, currency)]
  return (
    <>
      <div>
        <BigNumber>{spent}</BigNumber>
        <Muted>
          {t.soFar}. {t.forecast(expected)}
        </Muted>
      </div>
      {curve === undefined ? null : (
        <Chart
          summary={t.spendSummary(spent, expected)}
          times={curve.times}
          series={[
            { label: t.spent, values: curve.spent },
            { label: t.expected, values: curve.expected, style: "dashed", tone: "muted" }
          ]}
          format={(value) => money(value, currency)}
          height={180}
        />
      )}
    </>
  )
}
