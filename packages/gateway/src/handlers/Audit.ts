import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { AuditTrail } from "@portico/contract/Audit"
import { exportAudit } from "@portico/domain/audit/exportAudit"
import { readAudit } from "@portico/domain/audit/readAudit"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { CurrentOpenCall } from "../streams/OpenCall.ts"

/** On the operator plane only, an administrator reads the records of all tenants. */
export const AuditHandlers = (plane: Plane) =>
  HttpApiBuilder.group(apiOf(AuditTrail), "audit", (handlers) =>
    handlers.handleAll(
      exact(handlers, {
        list: ({ query }) => Effect.flatMap(CurrentCaller, (_) => readAudit(_, plane, query)),
        export: Effect.fnUntraced(function* ({ query }) {
          const call = yield* CurrentOpenCall
          return yield* exportAudit(yield* CurrentCaller, plane, query, () => call?.refusal !== undefined)
        })
      })
    )
  )
