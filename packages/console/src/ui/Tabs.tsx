import { Link, useLocation } from "wouter"
import styles from "./Tabs.module.css"

interface TabsProps {
  /** What the tabs are of, for those who hear them. */
  readonly label: string
  readonly tabs: ReadonlyArray<{ readonly href: string; readonly title: string }>
}

/** Views of one thing, each with an address of its own. */
export const Tabs = ({ label, tabs }: TabsProps) => {
  const [location] = useLocation()
  return (
    <nav className={styles["tabs"]} aria-label={label}>
      {tabs.map(({ href, title }) => (
        <Link key={href} href={href} className={styles["tab"]} aria-current={location === href ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
