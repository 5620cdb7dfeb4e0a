import { useSearchParams } from "wouter"
import { portico } from "../api/portico.ts"

export type AuditRecord = Awaited<ReturnType<typeof portico.audit.list>>["records"][number]
export type AuditFilters = Omit<NonNullable<Parameters<typeof portico.audit.export>[0]>, "cursor">

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

interface Exported {
  readonly count: number
  readonly complete: boolean
}

const save = (lines: ReadonlyArray<string>, name: string) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([...lines], { type: "application/x-ndjson" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** All records that fit, one a line, as a file. An export that is cut off goes on where it was. */
export const exportAudit = async (filters: AuditFilters, report: (count: number) => void): Promise<Exported> => {
  const lines: Array<string> = []
  let complete = false
  for await (const line of portico.audit.export(filters)) {
    if ("end" in line) complete = line.complete
    else lines.push(`${JSON.stringify(line)}\n`)
    if (lines.length % 200 === 0) report(lines.length)
  }
  save(lines, `audit-${new Date().toISOString().slice(0, 10)}.ndjson`)
  return { count: lines.length, complete }
}
