import { Badge } from "../ui/Badge.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import type { DatabaseDetail } from "./database.tsx"
import { words } from "./words.ts"

export const DatabaseEvents = ({ events }: Pick<DatabaseDetail, "events">) => {
  const t = useWords(words)
  const { number } = useFormats()
  return (
    <Table
      label={t.events}
      rows={events}
      keyOf={(_) => `${_.at} ${_.object} ${_.reason} ${_.message}`}
      empty={<Muted>{t.noEventsText}</Muted>}
      columns={[
        { title: t.when, cell: (_) => <Time at={_.at} /> },
        {
          title: t.what,
          cell: ({ count, message, reason, type }) => (
            <>
              <Badge tone={type === "Normal" ? "neutral" : "warn"}>{reason}</Badge> {message}
              {count > 1 ? <Muted small> {t.times(number(count))}</Muted> : null}
            </>
          )
        },
        { title: t.object, cell: (_) => <Mono>{_.object}</Mono> }
      ]}
    />
  )
}
