import { Button } from "../ui/Button.tsx"
import { Muted, Row, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import styles from "./dns.module.css"
import { differenceOf, type Recordset } from "./recordset.ts"
import { words } from "./words.ts"

interface ChangedNoticeProps {
  readonly seen: Recordset
  /** Undefined when it is gone. */
  readonly now: Recordset | undefined
  readonly busy: boolean
  readonly onOverwrite: () => void
  readonly onTake: (now: Recordset) => void
}

/** What somebody else has changed since the person began, before one of the two is lost. */
export const ChangedNotice = ({ busy, now, onOverwrite, onTake, seen }: ChangedNoticeProps) => {
  const t = useWords(words)
  if (now === undefined)
    return (
      <div className={styles["changed"]} role="alert">
        <strong>{t.changedTitle}</strong>
        <p>{t.goneText}</p>
      </div>
    )
  const { added, removed, ttl } = differenceOf(seen, now)
  const lifetime = (value: number | null) => (value === null ? t.zoneDefault : String(value))
  return (
    <div className={styles["changed"]} role="alert">
      <strong>{t.changedTitle}</strong>
      <p>{t.changedText}</p>
      <Stack tight>
        {removed.map((_) => (
          <Line key={_} sign="−" word={t.removed} text={_} />
        ))}
        {added.map((_) => (
          <Line key={_} sign="+" word={t.added} text={_} />
        ))}
        {ttl === undefined ? null : <Muted>{t.ttlFrom(lifetime(ttl[0]), lifetime(ttl[1]))}</Muted>}
      </Stack>
      <Row>
        <Button onClick={() => onTake(now)}>{t.takeTheirs}</Button>
        <Button kind="danger" busy={busy} onClick={onOverwrite}>
          {t.overwrite}
        </Button>
      </Row>
    </div>
  )
}

interface LineProps {
  readonly sign: "+" | "−"
  /** What the sign means, for those who hear it. */
  readonly word: string
  readonly text: string
}

export const Line = ({ sign, text, word }: LineProps) => (
  <div className={[styles["line"], sign === "+" ? styles["added"] : styles["removed"]].join(" ")}>
    <span aria-hidden>{sign}</span>
    <span className="visually-hidden">{word}: </span>
    <span>{text}</span>
  </div>
)
