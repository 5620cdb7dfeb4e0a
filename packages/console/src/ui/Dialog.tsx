import { Dialog as Base } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { type ReactNode, useRef } from "react"
import { useWords } from "../words/words.ts"
import { IconButton } from "./Button.tsx"
import styles from "./Dialog.module.css"
import { words } from "./words.ts"

interface DialogProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly wide?: boolean
  /** Whether Escape and a press outside leave it open: what it shows would be lost. */
  readonly keep?: boolean
}

/** Where somebody goes on who opened the dialog with the keyboard or the mouse. */
const firstField = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>("input:enabled, select:enabled, textarea:enabled") ?? true

export const Dialog = ({ children, keep = false, onClose, open, title, wide = false }: DialogProps) => {
  const t = useWords(words)
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={keep}
      onOpenChange={(next, { reason }) => {
        if (!next && !(keep && reason === "escape-key")) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={styles["backdrop"]} />
        <Base.Popup
          ref={popup}
          // The keyboard of a telephone would cover what the dialog says.
          initialFocus={(kind) => (kind === "touch" ? true : firstField(popup.current))}
          className={[styles["popup"], wide ? styles["wide"] : ""].join(" ")}
        >
          <div className={styles["head"]}>
            <Base.Title className={styles["title"]}>{title}</Base.Title>
            {keep ? null : <IconButton icon={X} label={t.close} onClick={onClose} />}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** The buttons of a dialog or form. */
export const Foot = ({ children }: { readonly children: ReactNode }) => <div className={styles["foot"]}>{children}</div>
