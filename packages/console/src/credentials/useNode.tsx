import { Link } from "wouter"
import { State } from "../ui/Badge.tsx"
import { Muted } from "../ui/layout.tsx"
import type { TreeNode } from "../ui/Tree.tsx"
import { useWords } from "../words/words.ts"
import { countOf, type Made } from "./tree.ts"
import { words } from "./words.ts"

/** How a credential and what it made stand in a tree. */
export const useNode = (): ((made: Made) => TreeNode) => {
  const t = useWords(words)
  const node = ({ credential: { credential_id, kind, label, state, tier }, made }: Made): TreeNode => ({
    id: credential_id,
    content: (
      <>
        <Link href={`/credentials/${credential_id}`}>{label}</Link>
        <State state={state} />
        <Muted small>
          {kind} · {t.tierOf(tier)}
          {made.length === 0 ? "" : ` · ${t.below(countOf(made))}`}
        </Muted>
      </>
    ),
    below: made.map(node)
  })
  return node
}
