import { Badge } from "../../ui/Badge.tsx"
import { Row } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import { words } from "./words.ts"

interface TenantStateProps {
  readonly suspended: boolean
  readonly pendingTier?: string | null
}

/** Whether a tenant works, and the quota write that is not done. */
export const TenantState = ({ pendingTier = null, suspended }: TenantStateProps) => {
  const t = useWords(words)
  return (
    <Row>
      <Badge tone={suspended ? "warn" : "good"}>{suspended ? t.suspended : t.active}</Badge>
      {pendingTier === null ? null : <Badge tone="busy">{t.unfinished(pendingTier)}</Badge>}
    </Row>
  )
}
