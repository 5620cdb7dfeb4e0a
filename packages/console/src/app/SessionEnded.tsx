import { signIn } from "../session/signIn.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** Over the page that the person was on, and comes back to. */
const SessionEnded = () => {
  const t = useWords(words)
  return (
    <Dialog open keep title={t.sessionEnded} onClose={() => undefined}>
      <p>{t.sessionEndedText}</p>
      <Foot>
        <Button kind="primary" onClick={() => void signIn()}>
          {t.signIn}
        </Button>
      </Foot>
    </Dialog>
  )
}

export default SessionEnded
