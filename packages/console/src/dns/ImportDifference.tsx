import type { portico } from "../api/portico.ts"
import { Mono, Muted, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { Line } from "./ChangedNotice.tsx"
import { differenceOf, shortName, type Zone } from "./recordset.ts"
import { words } from "./words.ts"

type Imported = Awaited<ReturnType<typeof portico.dns.importZone>>
type ImportedSet = Imported["create"][number]

interface SetProps {
  readonly zone: Zone
  readonly of: ImportedSet
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly ttl?: readonly [number | null, number | null] | undefined
}

const RecordLines = ({ added, of, removed, ttl, zone }: SetProps) => {
  const t = useWords(words)
  const lifetime = (value: number | null) => (value === null ? t.zoneDefault : String(value))
  return (
    <Stack tight>
      <Mono>
        {shortName(of.name, zone.name)} {of.type}
      </Mono>
      {removed.map((_) => (
        <Line key={_} sign="−" word={t.removed} text={_} />
      ))}
      {added.map((_) => (
        <Line key={_} sign="+" word={t.added} text={_} />
      ))}
      {ttl === undefined ? null : <Muted small>{t.ttlFrom(lifetime(ttl[0]), lifetime(ttl[1]))}</Muted>}
    </Stack>
  )
}

const keyOf = ({ name, type }: ImportedSet) => `${name} ${type}`

/** What an import would do, record by record. */
export const ImportDifference = ({ answer, zone }: { readonly answer: Imported; readonly zone: Zone }) => {
  const t = useWords(words)
  const { create, delete: removed, skipped, unchanged, update } = answer
  const isEmpty = create.length + update.length + removed.length === 0
  return (
    <div role="status">
      <Stack>
        <Muted>
          {[
            t.toCreate(create.length),
            t.toUpdate(update.length),
            t.toDelete(removed.length),
            t.unchanged(unchanged),
            t.skipped(skipped.length)
          ].join(" · ")}
        </Muted>
        {isEmpty ? <p>{t.nothing}</p> : null}
        {create.map((_) => (
          <RecordLines key={keyOf(_)} zone={zone} of={_} added={_.records} removed={[]} />
        ))}
        {update.map(({ after, before }) => (
          <RecordLines key={keyOf(after)} zone={zone} of={after} {...differenceOf(before, after)} />
        ))}
        {removed.map((_) => (
          <RecordLines key={keyOf(_)} zone={zone} of={_} added={[]} removed={_.records} />
        ))}
        {skipped.map(({ line, why }) => (
          <Muted small key={line}>
            {t.line(line, why)}
          </Muted>
        ))}
      </Stack>
    </div>
  )
}
