import type { ReactNode } from "react"
import styles from "./layout.module.css"

interface Children {
  readonly children?: ReactNode
}

const classes = (...names: ReadonlyArray<string | false | undefined>) => names.filter(Boolean).join(" ")

/** One under the other. */
export const Stack = ({ children, tight = false }: Children & { readonly tight?: boolean }) => (
  <div className={classes(styles["stack"], tight && styles["tight"])}>{children}</div>
)

/** Beside each other, and under each other where it is narrow. */
export const Row = ({ children, spread = false }: Children & { readonly spread?: boolean }) => (
  <div className={classes(styles["row"], spread && styles["spread"])}>{children}</div>
)

/** Cards of equal width: two, three or, when they are narrow, four beside each other. */
export const Grid = ({ cards = "plain", children }: Children & { readonly cards?: "wide" | "plain" | "narrow" }) => (
  <div className={classes(styles["grid"], styles[cards])}>{children}</div>
)

interface CardProps extends Children {
  readonly title?: ReactNode
  readonly actions?: ReactNode
}

export const Card = ({ actions, children, title }: CardProps) => (
  <section className={styles["card"]}>
    {title === undefined && actions === undefined ? null : (
      <div className={styles["cardHead"]}>
        {title === undefined ? <span /> : <h2>{title}</h2>}
        {actions}
      </div>
    )}
    {children}
  </section>
)

export const Muted = ({ children, small = false }: Children & { readonly small?: boolean }) => (
  <span className={classes(styles["muted"], small && styles["small"])}>{children}</span>
)

/** Identifiers, addresses, code in a sentence. */
export const Mono = ({ children }: Children) => <span className={styles["mono"]}>{children}</span>

/** The one figure of a card. */
export const BigNumber = ({ children }: Children) => <div className={styles["number"]}>{children}</div>

export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** The properties of one thing. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<Fact> }) => (
  <dl className={styles["list"]}>
    {facts.map(({ label, value }) => [<dt key={`${label} term`}>{label}</dt>, <dd key={label}>{value}</dd>])}
  </dl>
)

/** What is seldom needed, behind its title. */
export const Fold = ({ children, open, title }: Children & { readonly title: string; readonly open: boolean }) => (
  <details className={styles["fold"]} open={open}>
    <summary>{title}</summary>
    {children}
  </details>
)
