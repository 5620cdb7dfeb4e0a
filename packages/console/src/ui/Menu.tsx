import { Menu as Base } from "@base-ui/react/menu"
import { EllipsisVertical, type LucideIcon } from "lucide-react"
import type { ReactElement, ReactNode } from "react"
import { useWords } from "../words/words.ts"
import { IconButton } from "./Button.tsx"
import styles from "./Menu.module.css"
import { words } from "./words.ts"

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly children: ReactNode
}

export const Menu = ({ children, trigger }: MenuProps) => (
  <Base.Root modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={6} align="end" className={styles["positioner"] ?? ""}>
        <Base.Popup className={styles["popup"]}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

interface MenuItemProps {
  readonly icon?: LucideIcon
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly danger?: boolean
  readonly disabled?: boolean
}

export const MenuItem = ({ children, danger = false, disabled = false, icon: Icon, onSelect }: MenuItemProps) => (
  <Base.Item
    className={[styles["item"], danger ? styles["danger"] : ""].join(" ")}
    disabled={disabled}
    onClick={onSelect}
  >
    {Icon === undefined ? null : <Icon aria-hidden />}
    {children}
  </Base.Item>
)

export const MenuHeading = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["heading"]}>{children}</div>
)

/** What can be done with one row. */
export const RowMenu = ({ children, of }: { readonly of: string; readonly children: ReactNode }) => {
  const t = useWords(words)
  return <Menu trigger={<IconButton icon={EllipsisVertical} label={`${t.actions}: ${of}`} />}>{children}</Menu>
}
