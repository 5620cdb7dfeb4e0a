import { Effect } from "effect"
import type { Success } from "../routes/Success.ts"

const at = (path: string): Success["prepare"] => Effect.succeed({ path })

/** The rows of the matrix for the audit. */
export const auditSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/audit": {
    status: 200,
    prepare: at("/v1/audit?limit=2&status=2xx&order=asc")
  },
  "GET /v1/audit/export": {
    status: 200,
    prepare: at("/v1/audit/export?method=POST")
  }
}
