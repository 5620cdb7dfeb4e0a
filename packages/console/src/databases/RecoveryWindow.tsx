import { History } from "lucide-react"
import { useId, useState } from "react"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/form.tsx"
import { Card, Muted, Row } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import type { Backup } from "./database.tsx"
import { localOf, momentAt, momentOf, slotOf, slots, type Window } from "./moments.ts"
import styles from "./RecoveryWindow.module.css"
import { words } from "./words.ts"

/** The moments that can be restored, as a line on which one is chosen. */
export const RecoveryWindow = ({ backup }: { readonly backup: Backup }) => {
  const t = useWords(words)
  const { earliest_recovery_point: earliest, latest_recovery_point: latest, last_successful_at: last } = backup
  const missing = earliest === null ? t.recoveryNone : t.recoveryStuck
  return (
    <Card title={t.recovery}>
      {earliest === null || latest === null ? (
        <Muted>{missing}</Muted>
      ) : (
        <Line window={{ earliest, latest }} last={last} />
      )}
    </Card>
  )
}

const Line = ({ last, window }: { readonly window: Window; readonly last: string | null }) => {
  const t = useWords(words)
  const me = useMe()
  const formats = useFormats()
  const restore = useDialog("restore")
  const [chosen, choose] = useState<string>()
  const id = useId()
  const point = chosen ?? window.latest
  return (
    <>
      <Muted small>{t.recoveryText}</Muted>
      <div className={styles["window"]}>
        <label htmlFor={id} className="visually-hidden">
          {t.point}
        </label>
        <input
          id={id}
          type="range"
          className={styles["slider"]}
          min={0}
          max={slots}
          step={1}
          value={slotOf(window, point)}
          aria-valuetext={formats.exact(point)}
          onChange={(event) => choose(momentAt(window, Number(event.target.value)))}
        />
        <div className={styles["ends"]}>
          <span>
            {t.earliest}: <Time at={window.earliest} as="moment" />
          </span>
          <span>
            {t.lastBackup}: <Time at={last} as="moment" />
          </span>
          <span>
            {t.latest}: <Time at={window.latest} as="moment" />
          </span>
        </div>
      </div>
      <Row spread>
        <TextField
          label={t.point}
          type="datetime-local"
          step={1}
          min={localOf(window.earliest)}
          max={localOf(window.latest)}
          value={localOf(point)}
          onChange={(local) => choose(momentOf(local) ?? window.latest)}
        />
        {me.tier < 1 ? null : (
          <Button kind="primary" icon={History} onClick={() => restore.show(point)}>
            {t.restoreHere}
          </Button>
        )}
      </Row>
    </>
  )
}
