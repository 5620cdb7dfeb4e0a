import type { ReactNode } from "react"
import styles from "./Tree.module.css"

export interface TreeNode {
  readonly id: string
  readonly content: ReactNode
  readonly below: ReadonlyArray<TreeNode>
}

interface TreeProps {
  readonly label: string
  readonly nodes: ReadonlyArray<TreeNode>
}

/** Nested lists whose branches fold, with the browser's own keys: Tab to a branch, Enter or Space folds it. */
export const Tree = ({ label, nodes }: TreeProps) => (
  <ul className={styles["tree"]} aria-label={label}>
    {nodes.map((node) => (
      <Node key={node.id} node={node} />
    ))}
  </ul>
)

const Node = ({ node: { below, content } }: { readonly node: TreeNode }) =>
  below.length === 0 ? (
    <li className={styles["leaf"]}>
      <span className={styles["row"]}>{content}</span>
    </li>
  ) : (
    <li>
      <details open>
        <summary>
          <span className={styles["row"]}>{content}</span>
        </summary>
        <ul>
          {below.map((node) => (
            <Node key={node.id} node={node} />
          ))}
        </ul>
      </details>
    </li>
  )
