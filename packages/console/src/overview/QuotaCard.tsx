import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Muted, Stack } from "../ui/layout.tsx"
import { Meter } from "../ui/Meter.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { fullest, type QuotaRow, rowsOf } from "./quotaRows.ts"
import { words } from "./words.ts"

/** As many as stand beside the other cards. */
const shortly = 8

export const QuotaCard = () => {
  const t = useWords(words)
  const answer = useAnswer(portico.quotas.show, {})
  const [limits, setLimits] = useFilter("limits")
  const all = limits === "all"
  return (
    <Card title={t.quotas} actions={answer.data === undefined ? null : <Badge>{t.tier(answer.data.tier)}</Badge>}>
      <Answered answer={answer}>
        {(quotas) => {
          const rows = rowsOf(quotas)
          const unread = rows.filter((_) => _.used === null).map((_) => t[_.name])
          const read = rows.filter((_) => _.used !== null)
          return (
            <Stack>
              {quotas.suspended ? (
                <p>
                  <Badge tone="warn">{t.suspended}</Badge>
                </p>
              ) : null}
              {(all ? read : fullest(read, shortly)).map((row) => (
                <Quota key={row.name} row={row} />
              ))}
              {unread.length === 0 ? null : <Muted small>{t.unread(unread.join(", "))}</Muted>}
              <span>
                <Button kind="quiet" onClick={() => setLimits(all ? "" : "all")}>
                  {all ? t.fewer : t.more}
                </Button>
              </span>
            </Stack>
          )
        }}
      </Answered>
    </Card>
  )
}

const Quota = ({ row }: { readonly row: QuotaRow }) => {
  const t = useWords(words)
  const { bytes, number } = useFormats()
  const written = row.unit === "bytes" ? bytes : number
  const used = row.used ?? 0
  const text = row.limit < 0 ? t.unlimited(written(used)) : t.of(written(used), written(row.limit))
  // Nothing fills an unlimited bar.
  return <Meter label={t[row.name]} used={row.limit < 0 ? 0 : used} limit={row.limit < 0 ? 1 : row.limit} text={text} />
}
