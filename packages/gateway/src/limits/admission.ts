import type { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import type { Source } from "@portico/domain/access/networks"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import type { AuditDraft } from "../audit/AuditDraft.ts"
import { Allowances } from "./Allowances.ts"
import type { OpenCall } from "../streams/OpenCall.ts"
import type { Meter } from "./Meter.ts"

/** The parts of a request that identify its caller and count it. */
export interface IncomingCall {
  /** The plane of the request. On the customer plane an administrator has no powers. */
  readonly plane: Plane
  /** The client's address. */
  readonly source: Source
  /** The draft of the audit record; undefined for a call that is not recorded. */
  readonly draft: AuditDraft | undefined
  /** The rate-limit meter; undefined where calls are not limited. */
  readonly meter: Meter | undefined
  /** Receives the admitted caller; undefined for a call that ends with its answer. */
  readonly open?: OpenCall | undefined
}

/**
 * Authenticates the caller, within its tenant's allowance. It comes before every other check: a 401 costs no
 * allowance, and every other answer counts, rejections included.
 *
 * Errors: those of {@link Callers}; 429.
 */
export const admission = Effect.map(
  Effect.all([Callers, Allowances]),
  ([callers, allowances]) =>
    // Eager: nearly every caller is in memory, and then the result is there at once.
    (token: PresentedToken, { meter, open, plane, source, draft }: IncomingCall) =>
      Effect.flatMapEager(callers.resolve(token, plane, source), (caller) => {
        if (draft !== undefined) draft.caller = caller
        if (open !== undefined) open.admitted = { token, plane, source, caller }
        return Effect.mapEager(allowances.admit(caller, meter), () => caller)
      })
)
