import type { Shape } from "@portico/client/catalogue/Catalogue"
import { Badge } from "../ui/Badge.tsx"
import { Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** What an operation needs, and what it does that one should know before. */
export const Marks = ({ shape }: { readonly shape: Shape }) => {
  const t = useWords(words)
  const { billed, destroys, open, pages, role, secret, stream, tier } = shape
  return (
    <Row>
      {tier === undefined ? null : <Badge>{t.tier(tier)}</Badge>}
      {role === undefined ? null : <Badge>{t.role(role)}</Badge>}
      {open === true ? <Badge>{t.open}</Badge> : null}
      {billed === true ? <Badge tone="warn">{t.billed}</Badge> : null}
      {destroys === true ? <Badge tone="bad">{t.destroys}</Badge> : null}
      {secret === undefined ? null : <Badge tone="warn">{secret === "new" ? t.secretNew : t.secretStored}</Badge>}
      {stream === undefined ? null : <Badge>{t.stream}</Badge>}
      {pages === true ? <Badge>{t.pages}</Badge> : null}
    </Row>
  )
}
