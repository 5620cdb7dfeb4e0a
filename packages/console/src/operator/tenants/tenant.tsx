import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Row } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

export type Tenant = Awaited<ReturnType<typeof operator.tenants.list>>["tenants"][number]
export type Project = Awaited<ReturnType<typeof operator.projects.show>>
export type Drift = Awaited<ReturnType<typeof operator.drift.show>>["tenants"][number]

/** What changes with a tenant's quotas. */
export const touched = ["projects", "quotas", "drift", "signups", "monitoring"] as const

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

export const find: Finder = async (text) => {
  const tenants = await wholeOf(operator.tenants.list, { limit: 200 })
  return tenants
    .filter(({ name, project_id, slug }) => `${name} ${slug} ${project_id}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ name, project_id }) => ({
      title: name,
      kind: words[currentLanguage()].tenant,
      href: `/tenants/${project_id}`
    }))
}
