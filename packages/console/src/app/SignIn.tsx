import { type ReactNode, useEffect, useRef } from "react"
import type { Refusal } from "../api/refusal.ts"
import { signIn, signInAsAnother } from "../session/signIn.ts"
import { Button } from "../ui/Button.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import type { Plane } from "./definitions.ts"
import icon from "./icon.svg"
import styles from "./SignIn.module.css"
import { words } from "./words.ts"

const Card = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <main className={styles["page"]}>
    <div className={styles["card"]}>
      <img src={icon} alt="" />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
)

interface SignInProps {
  readonly plane: Plane
  /** Why an attempt failed, in the provider's words. */
  readonly reason: string | undefined
}

export const SignIn = ({ plane, reason }: SignInProps) => {
  const t = useWords(words)
  return (
    <Card title={`${t.product} ${t[plane.name]}`}>
      {reason === undefined ? null : <p role="alert">{t.notSignedIn(reason)}</p>}
      <p>{t.signInText}</p>
      <Button kind="primary" onClick={() => void signIn()}>
        {t.signIn}
      </Button>
    </Card>
  )
}

interface NoAccessProps {
  /** Undefined where the gateway knows the person, who has nothing to do on this plane. */
  readonly refusal?: Refusal
  readonly again: () => void
}

/** The person is known to the provider, and may not do anything on this plane. */
export const NoAccess = ({ again, refusal }: NoAccessProps) => {
  const t = useWords(words)
  return (
    <Card title={t.noAccess}>
      {refusal === undefined ? <p role="alert">{t.otherPlane}</p> : <RefusalBox refusal={refusal} again={again} />}
      <Button onClick={() => void signInAsAnother().catch(() => toast(t.stillSignedIn))}>{t.signInAs}</Button>
    </Card>
  )
}

export const Unreachable = () => {
  const t = useWords(words)
  return (
    <Card title={t.unreachable}>
      <p>{t.offline}</p>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </Card>
  )
}

/**
 * Over the page that the person was on, and comes back to. The browser's own
 * dialog: it needs nothing that a gateway might no longer have.
 */
export const SessionEnded = () => {
  const t = useWords(words)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className={styles["card"]} aria-labelledby="ended" onCancel={(_) => _.preventDefault()}>
      <h1 id="ended">{t.sessionEnded}</h1>
      <p>{t.sessionEndedText}</p>
      <Button kind="primary" onClick={() => void signIn()}>
        {t.signIn}
      </Button>
    </dialog>
  )
}
