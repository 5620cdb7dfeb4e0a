import { KeyRound } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useWhole } from "../api/useWhole.ts"
import { Page } from "../app/Page.tsx"
import { useNames } from "../people/useNames.ts"
import { Answered } from "../ui/Answered.tsx"
import { CheckField, FilterBar } from "../ui/form.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Muted } from "../ui/layout.tsx"
import { Tree } from "../ui/Tree.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { countOf, treeOf } from "./tree.ts"
import { useNode } from "./useNode.tsx"
import { words } from "./words.ts"

const TreePage = () => {
  const t = useWords(words)
  const [revoked, setRevoked] = useFilter("revoked")
  const answer = useWhole(portico.credentials.list, { limit: 1000, include_revoked: revoked === "yes" })
  const nameOf = useNames()
  const node = useNode()
  return (
    <Page title={t.tree} about={t.treeAbout} up={{ href: "/credentials", title: t.title }}>
      <FilterBar>
        <CheckField
          label={t.showRevoked}
          checked={revoked === "yes"}
          onChange={(checked) => setRevoked(checked ? "yes" : "")}
        />
      </FilterBar>
      <Answered answer={answer}>
        {(credentials) =>
          credentials.length === 0 ? (
            <EmptyState icon={KeyRound} title={t.none}>
              {t.noneText}
            </EmptyState>
          ) : (
            <Tree
              label={t.tree}
              nodes={treeOf(credentials).map(({ id, made }) => ({
                id: id === "" ? "unbound" : id,
                content: (
                  <>
                    <strong>{id === "" ? t.noMaker : nameOf(id)}</strong>
                    <Muted small>{t.below(countOf(made))}</Muted>
                  </>
                ),
                below: made.map(node)
              }))}
            />
          )
        }
      </Answered>
    </Page>
  )
}

export default TreePage
