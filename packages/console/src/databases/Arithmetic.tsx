import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Badge } from "../ui/Badge.tsx"
import { Muted, Row, Stack } from "../ui/layout.tsx"
import { Meter } from "../ui/Meter.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type Check, checksOf, type Size } from "./arithmetic.ts"
import { words } from "./words.ts"

interface ArithmeticProps {
  readonly wanted: Size
  readonly held?: Size | undefined
}

/** What a database of this size would use of each limit, before the gateway is asked. */
export const Arithmetic = ({ held, wanted }: ArithmeticProps) => {
  const t = useWords(words)
  const { data: quotas, refusal } = useAnswer(portico.quotas.show, {})
  if (quotas === undefined) return <RefusalBox refusal={refusal} />
  const checks = checksOf(wanted, quotas.databases, held)
  const fits = checks.every((_) => _.fits)
  return (
    <section aria-label={t.checks}>
      <Stack tight>
        <Row spread>
          <h3>{t.checks}</h3>
          <span role="status">
            <Badge tone={fits ? "good" : "bad"}>{fits ? t.fits : t.fitsNot}</Badge>
          </span>
        </Row>
        {checks.map((check) => (
          <Sum key={check.limitOf} check={check} tier={quotas.tier} />
        ))}
      </Stack>
    </section>
  )
}

const Sum = ({ check, tier }: { readonly check: Check; readonly tier: string }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const { adds, after, before, fits, limit, limitOf } = check
  const unit = limitOf === "volumes" ? number : (value: number) => t.gib(number(value))
  const labels = { instance: t.ofInstance, database: t.ofDatabase, storage: t.ofStorage(tier), volumes: t.ofVolumes }
  if (after === undefined)
    return (
      <Row spread>
        <span>{labels[limitOf]}</span>
        <Muted>{t.notCounted}</Muted>
      </Row>
    )
  const isOfOne = limitOf === "instance" || limitOf === "database"
  const sum = isOfOne
    ? t.plain(unit(after), unit(limit))
    : (adds < 0 ? t.less : t.sum)(number(before), number(Math.abs(adds)), number(after), unit(limit))
  const text = fits ? sum : `${sum} · ${t.tooMuch(unit(after - limit))}`
  // A full bar is red: what fits exactly is not.
  return <Meter label={labels[limitOf]} used={after} limit={limit} text={text} />
}
