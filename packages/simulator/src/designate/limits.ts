import { Result } from "effect"
import { forbid, type Ruling } from "./answers.ts"
import type { DesignateState } from "./state.ts"

/** Stock limits; a negative limit is unlimited. */
export const defaults: Readonly<Record<string, number>> = {
  zones: 10,
  zone_recordsets: 500,
  zone_records: 500,
  recordset_records: 20,
  api_export_size: 1000
}

export const limitsOf = ({ quotas }: DesignateState, project: string): Readonly<Record<string, number>> => ({
  ...defaults,
  ...quotas[project]?.limits
})

/** Refuses a count above the project's limit. */
export const within = (state: DesignateState, project: string, resource: string, count: number): Ruling<void> => {
  const limit = limitsOf(state, project)[resource] ?? -1
  return limit < 0 || count <= limit ? Result.void : forbid(413, "over_quota", `Quota exceeded for ${resource}.`)
}
