import { CopyButton } from "./CopyButton.tsx"
import styles from "./Code.module.css"

/** A text to read or to copy: commands, payloads, logs. It is shown as it is, whatever is in it. */
export const Code = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className={styles["code"]}>
    {/* A region that scrolls is reached with the keyboard too. */}
    <pre className={styles["text"]} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
    <span className={styles["copy"]}>
      <CopyButton text={text} />
    </span>
  </div>
)
