import type { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import type { Source } from "@portico/domain/access/networks"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import type { AuditDraft } from "../audit/AuditDraft.ts"
import { Allowances } from "./Allowances.ts"
import type { OpenCall } from "../streams/OpenCall.ts"
import type { Meter } from "./Meter.ts"

/** What of a request its caller is known by, and counted on. */
export interface Asking {
  /** Where it came in: on the customer plane an administrator has no powers. */
  readonly plane: Plane
  readonly source: Source
  readonly draft: AuditDraft | undefined
  readonly meter: Meter | undefined
  /** Told who was let in; undefined for a call that is over when it is answered. */
  readonly open?: OpenCall | undefined
}

/**
 * Who calls, within its tenant's allowance. It comes before anything else of
 * a request is looked at: a 401 costs nobody anything, and every other answer
 * counts, refusals too.
 *
 * Errors: those of {@link Callers}; 429.
 */
export const admission = Effect.map(Effect.all([Callers, Allowances]), ([callers, allowances]) =>
  Effect.fnUntracedEager(function* (token: PresentedToken, { meter, open, plane, source, draft }: Asking) {
    const caller = yield* callers.resolve(token, plane, source)
    if (draft !== undefined) draft.caller = caller
    if (open !== undefined) open.admitted = { token, plane, source, caller }
    yield* allowances.admit(caller, meter)
    return caller
  })
)
