import type { LucideIcon } from "lucide-react"
import type { ReactNode } from "react"
import styles from "./EmptyState.module.css"

interface EmptyStateProps {
  readonly icon: LucideIcon
  /** That there is nothing, such as `No databases yet`. */
  readonly title: string
  /** What to do first, and what one gets from it. */
  readonly children: ReactNode
  /** The button that does it. */
  readonly action?: ReactNode
}

export const EmptyState = ({ action, children, icon: Icon, title }: EmptyStateProps) => (
  <div className={styles["empty"]}>
    <Icon aria-hidden />
    <p className={styles["title"]}>{title}</p>
    <p>{children}</p>
    {action}
  </div>
)
