import { useSearchParams } from "wouter"
import type { AuditFilters } from "./record.ts"

export const actors = ["person", "agent", "key", "workload", "operator", "unknown"] as const
export const methods = ["POST", "PUT", "PATCH", "DELETE", "GET"] as const
const times = ["since", "until"] as const

const withZone = (local: string): string | undefined =>
  local === "" || Number.isNaN(new Date(local).getTime()) ? undefined : new Date(local).toISOString()

/** The filters in the address, as the operation takes them. Times are local in the address, as people type them. */
export const useAuditFilters = (): AuditFilters => {
  const [params] = useSearchParams()
  const of = (name: string) => params.get(name) || undefined
  const [since, until] = times.map((_) => withZone(params.get(_) ?? ""))
  return {
    actor: actors.find((_) => _ === of("actor")),
    method: methods.find((_) => _ === of("method")),
    route: of("route"),
    status: of("status"),
    resource: of("resource"),
    credential_id: of("credential_id"),
    user_id: of("user_id"),
    request_id: of("request_id"),
    project_id: of("project_id"),
    since,
    until
  }
}
