import { Cause, Predicate } from "effect"
import { SqlError } from "effect/sql"

/**
 * SQLSTATE classes of a server that cannot serve now, whatever it is asked: connection exceptions, insufficient
 * resources such as a full disk, operator intervention such as a restart, and errors of the system below it. A write that
 * a read-only server refuses belongs to them: it is a standby that is about to become the primary, or under maintenance.
 * So does a statement that one of the server's own time-outs has ended.
 */
const outages = /^(?:08|25006|25P03|53|55P03|57014|57P|58)/

/**
 * Whether a request failed because the database was away: its connection was refused or cut, or the server restarts or
 * has no room. The same request may succeed a moment later. Every other failure of a query is a bug.
 */
export const isDatabaseOutage = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (!SqlError.isSqlError(error)) return false
    const { _tag, cause: told, operation } = error.reason
    // A server that is starting or stopping refuses every login, and the client keeps no code of that.
    const isRefused = _tag === "UnknownError" && operation === "connect"
    return _tag === "ConnectionError" || isRefused || outages.test(codeOf(told))
  })

/** PostgreSQL's SQLSTATE; empty where the error has none. */
const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : ""
