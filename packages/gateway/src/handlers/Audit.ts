import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { exportAudit } from "@portico/domain/audit/exportAudit"
import { readAudit } from "@portico/domain/audit/readAudit"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { callerByNow } from "../middleware/access.ts"

/** On the operator plane alone, an administrator reads everybody's. */
export const AuditHandlers = (plane: Plane) =>
  HttpApiBuilder.group(OperatorApi, "audit", (handlers) =>
    handlers
      .handle("list", ({ query }) => Effect.flatMap(CurrentCaller, (_) => readAudit(_, plane, query)))
      .handle("export", ({ endpoint, query, request }) =>
        Effect.flatMap(CurrentCaller, (_) => exportAudit(_, plane, query, callerByNow(request, endpoint, plane)))
      )
  )
