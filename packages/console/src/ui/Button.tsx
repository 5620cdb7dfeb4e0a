import type { LucideIcon } from "lucide-react"
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react"
import { Link } from "wouter"
import styles from "./Button.module.css"

type Kind = "plain" | "primary" | "danger" | "quiet"

export const buttonClass = (kind: Kind = "plain", iconOnly = false): string =>
  [styles["button"], kind === "plain" ? "" : styles[kind], iconOnly ? styles["icon"] : ""].filter(Boolean).join(" ")

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> {
  readonly kind?: Kind
  readonly icon?: LucideIcon
  /** The act is under way: the button stays where it is and takes no second press. */
  readonly busy?: boolean
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

export const Button = ({ busy = false, children, icon: Icon, kind = "plain", disabled, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={buttonClass(kind)}
    disabled={disabled === true || busy}
    aria-busy={busy || undefined}
  >
    {Icon === undefined ? null : <Icon aria-hidden />}
    {children}
  </button>
)

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className" | "children"> {
  readonly icon: LucideIcon
  /** What it does: there is no other text. */
  readonly label: string
  readonly ref?: Ref<HTMLButtonElement>
}

export const IconButton = ({ icon: Icon, label, ...rest }: IconButtonProps) => (
  <button type="button" {...rest} className={buttonClass("quiet", true)} aria-label={label} title={label}>
    <Icon aria-hidden />
  </button>
)

interface ButtonLinkProps {
  /** Inside the console, such as `/credentials?dialog=mint`. */
  readonly href: string
  readonly kind?: Kind
  readonly icon?: LucideIcon
  readonly children: ReactNode
}

/** A button that leads somewhere: dialogs are places too. */
export const ButtonLink = ({ children, href, icon: Icon, kind = "plain" }: ButtonLinkProps) => (
  <Link href={href} className={buttonClass(kind)}>
    {Icon === undefined ? null : <Icon aria-hidden />}
    {children}
  </Link>
)
