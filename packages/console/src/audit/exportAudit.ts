import { portico } from "../api/portico.ts"
import type { AuditFilters } from "./record.ts"

export interface Exported {
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
