import { Button } from "./Button.tsx"
import { Code } from "./Code.tsx"
import { Dialog, Foot } from "./Dialog.tsx"
import { Stack } from "./layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

interface SecretOnceProps {
  readonly title: string
  /** What each is, and its value: null in the repeated answer of an act whose first answer was lost. Undefined while there is none to show. */
  readonly secrets: ReadonlyArray<{ readonly label: string; readonly value: string | null }> | undefined
  readonly onClose: () => void
}

/** Shows what is never shown again. It stays until the person says that it is saved. */
export const SecretOnce = ({ onClose, secrets, title }: SecretOnceProps) => {
  const t = useWords(words)
  return (
    <Dialog open={secrets !== undefined} onClose={onClose} title={title} keep>
      <p>{t.secretOnce}</p>
      {(secrets ?? []).map(({ label, value }) => (
        <Stack tight key={label}>
          <strong>{label}</strong>
          {value === null ? <p>{t.secretLost}</p> : <Code text={value} label={label} />}
        </Stack>
      ))}
      <Foot>
        <Button kind="primary" onClick={onClose}>
          {t.saved}
        </Button>
      </Foot>
    </Dialog>
  )
}
