import { ChevronDown, ChevronRight } from "lucide-react"
import { type ReactNode, useState } from "react"
import { useWords } from "../words/words.ts"
import { IconButton } from "./Button.tsx"
import styles from "./Tree.module.css"
import { words } from "./words.ts"

export interface TreeNode {
  readonly id: string
  readonly content: ReactNode
  readonly below: ReadonlyArray<TreeNode>
}

interface TreeProps {
  readonly label: string
  readonly nodes: ReadonlyArray<TreeNode>
}

/** Nested lists whose branches fold. What folds stands beside the row, which has links and menus of its own. */
export const Tree = ({ label, nodes }: TreeProps) => (
  <ul className={styles["tree"]} aria-label={label}>
    {nodes.map((node) => (
      <Node key={node.id} node={node} />
    ))}
  </ul>
)

const Node = ({ node: { below, content } }: { readonly node: TreeNode }) =>
  below.length === 0 ? (
    <li className={[styles["line"], styles["leaf"]].join(" ")}>
      <span className={styles["row"]}>{content}</span>
    </li>
  ) : (
    <Branch content={content} below={below} />
  )

const Branch = ({ below, content }: Pick<TreeNode, "below" | "content">) => {
  const t = useWords(words)
  const [open, setOpen] = useState(true)
  return (
    <li>
      <div className={styles["line"]}>
        <IconButton
          icon={open ? ChevronDown : ChevronRight}
          label={t.below}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <span className={styles["row"]}>{content}</span>
      </div>
      {open ? (
        <ul>
          {below.map((node) => (
            <Node key={node.id} node={node} />
          ))}
        </ul>
      ) : null}
    </li>
  )
}
