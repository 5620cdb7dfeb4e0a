import { Check, LoaderCircle } from "lucide-react"
import { Card } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import styles from "./ComingUp.module.css"
import type { Database } from "./database.tsx"
import { words } from "./words.ts"

const steps = ["pending", "provisioning", "ready"] as const

/** How far a new database is; nothing of one that has been made. */
export const ComingUp = ({ status }: Pick<Database, "status">) => {
  const t = useWords(words)
  if (status !== "pending" && status !== "provisioning") return null
  const at = steps.indexOf(status)
  const names = { pending: t.step_pending, provisioning: t.step_provisioning, ready: t.step_ready }
  return (
    <Card title={t.comesUp}>
      <ol className={styles["steps"]} aria-live="polite">
        {steps.map((step, index) => (
          <li key={step} className={styles["step"]} aria-current={index === at ? "step" : undefined}>
            {index < at ? <Check aria-hidden /> : index === at ? <LoaderCircle aria-hidden /> : null}
            {names[step]}
          </li>
        ))}
      </ol>
    </Card>
  )
}
