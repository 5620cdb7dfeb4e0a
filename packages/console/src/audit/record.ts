import type { portico } from "../api/portico.ts"

export type AuditRecord = Awaited<ReturnType<typeof portico.audit.list>>["records"][number]
export type AuditFilters = Omit<NonNullable<Parameters<typeof portico.audit.export>[0]>, "cursor">
