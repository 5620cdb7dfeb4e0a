import type { Caller } from "@portico/contract/Access"
import { areaOf } from "@portico/contract/areas"
import type { Plane } from "@portico/domain/health/readiness"
import { FairQueue, type Owner } from "@portico/domain/limits/FairQueue"
import type { EnterSession } from "@portico/store/client/SessionPlace"
import { connections, listeners } from "@portico/store/Database"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { isConsole } from "../requests/consolePaths.ts"

/**
 * Who a session is kept for. What finds out who calls, signing in included, has no share that could be full: it gets
 * what the others leave.
 */
export type Share = "ordinary" | "operators" | "revocation"

/** Milliseconds, a little less than what a statement may take together with this wait. */
const waitTime = 4_000

/** How many statements may wait for each place, and of one tenant as many as for all places: a burst waits for milliseconds. */
const waitingByPlaces = 32

/**
 * How many sessions each share may have at once. Together they leave some for authentication, so each of them has its
 * own whatever the others do. With fewer than eight sessions there is not enough for that, and each share may have one.
 */
export const sharesOf = (sessions: number): Readonly<Record<Share, number>> => {
  const unit = Math.max(1, Math.floor(sessions / 8))
  return { revocation: unit, operators: 2 * unit, ordinary: Math.max(1, sessions - 4 * unit) }
}

/** Routes that end an access. They are the way out when a key is stolen, and must not wait behind what the thief does. */
export const revocations: ReadonlySet<string> = new Set([
  "DELETE /v1/agents",
  "DELETE /v1/credentials/:credential_id",
  "DELETE /v1/object-storage/keys/:access_key",
  "DELETE /v1/org/users/:user_id",
  "DELETE /v1/workload-identity/issuers/:issuer_id"
])

/** Routes where a client gets a token for a login. They have no caller yet. */
export const signIns: ReadonlySet<string> = new Set([
  "GET /v1/registry/token",
  "POST /v1/registry/token",
  "POST /v1/workload-identity/token-exchange"
])

/** The share of an endpoint's calls by an admitted caller. */
export const shareOf = (plane: Plane, { method, path }: Pick<HttpApiEndpoint.Top, "method" | "path">): Share =>
  revocations.has(`${method} ${path}`) ? "revocation" : plane === "operator" ? "operators" : "ordinary"

/** Shares of the database's sessions, so that no tenant and no kind of call takes all of them. */
export class DatabaseShares extends Context.Service<
  DatabaseShares,
  {
    /** The place of a call before its caller is known; undefined for signing in, which has no share to wait for. */
    arriving(plane: Plane, method: string, path: string): EnterSession | undefined
    /** The place of an admitted caller's call. */
    admitted(plane: Plane, endpoint: HttpApiEndpoint.Top, caller: Caller): EnterSession
    /** The place of a background job. All of them together count as one tenant. */
    job(name: string): EnterSession
  }
>()("portico/gateway/limits/DatabaseShares") {
  static readonly layer = Layer.effect(
    DatabaseShares,
    Effect.gen(function* () {
      const all = yield* metricsRegistry
      const sizes = sharesOf((yield* connections) - listeners)
      const shareWith = (share: Share) => {
        const calls = sizes[share]
        const waiting = calls * waitingByPlaces
        const queue = new FairQueue({ calls, waiting, waitingOfOne: waiting, wait: waitTime })
        const labels = { share }
        const help = "Statements that wait for a session of the database."
        all.gauge("portico_database_waiting_statements", help, labels, () => queue.waiting)
        const refused = all.count(
          "portico_database_refused_total",
          "Statements refused because no session of the database became free in time.",
          labels
        )
        return (owner: Owner, kind: string): EnterSession =>
          (go, refuse) =>
            queue.enter(
              owner,
              go,
              () => {
                refused.value += 1
                refuse()
              },
              kind
            )
      }
      const shares = {
        ordinary: shareWith("ordinary"),
        operators: shareWith("operators"),
        revocation: shareWith("revocation")
      }
      return DatabaseShares.of({
        arriving: (plane, method, path) =>
          isConsole(path) || signIns.has(`${method} ${path}`)
            ? undefined
            : shares[plane === "operator" ? "operators" : "ordinary"](undefined, "open"),
        admitted: (plane, endpoint, { tenant }) =>
          shares[shareOf(plane, endpoint)](tenant?.projectId, areaOf(endpoint.path)),
        job: (name) => shares.ordinary("jobs", name)
      })
    })
  )
}
