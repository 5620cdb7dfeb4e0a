import type { ReactNode } from "react"
import { Link } from "wouter"
import { CopyAs } from "./CopyAs.tsx"
import styles from "./Page.module.css"

interface PageProps {
  readonly title: string
  /** What one sees here, in a sentence. */
  readonly about?: ReactNode
  /** The list that the shown thing is in. */
  readonly up?: { readonly href: string; readonly title: string }
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of every page: its title, its actions, and its calls to copy. */
export const Page = ({ about, actions, children, title, up }: PageProps) => (
  <div className={styles["page"]}>
    <div className={styles["head"]}>
      <div className={styles["titles"]}>
        {up === undefined ? null : (
          <Link href={up.href} className={styles["up"]}>
            ← {up.title}
          </Link>
        )}
        <h1>{title}</h1>
        {about === undefined ? null : <p className={styles["about"]}>{about}</p>}
      </div>
      <div className={styles["actions"]}>
        {actions}
        <CopyAs />
      </div>
    </div>
    {children}
  </div>
)
