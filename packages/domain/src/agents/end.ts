import type { Caller } from "@portico/contract/Access"
import { type AgentsEnded, confirmedByDefault } from "@portico/contract/Agents"
import { Forbidden } from "@portico/contract/Failures"
import { AgentSettings, deactivations } from "@portico/store/AgentSettings"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { DateTime, Effect } from "effect"
import { boundsOfRow } from "../access/bounds.ts"
import { Records } from "../access/Records.ts"
import { publishChanges, revokedOf } from "../credentials/events.ts"
import { disableOfEnded } from "../targets/unlessAgentEnded.ts"
import { projectOf } from "../policy/scope.ts"
import { reconcile } from "../work/reconcile.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"

/**
 * Ends all agents of a tenant (see the contract's `DELETE /v1/agents`). One transaction revokes their credentials,
 * disables the webhooks and integrations that they made, and publishes the events; after its commit every process refuses them. A single revocation deactivates the user first.
 * This does not, so that it works without the identity provider: {@link sweepEndedAgents} deactivates the users
 * afterwards.
 *
 * Errors: 403 for a caller that is neither an owner nor a platform administrator; those of {@link projectOf}.
 */
export const endAgents = Effect.fn("agents.end")(function* (caller: Caller, named: string | undefined) {
  if (!caller.admin && caller.role !== "customer-owner") return yield* Forbidden.ownerRequired()
  const projectId = yield* projectOf(caller, named)
  const ended = yield* (yield* RunToCompletion).run(ending(projectId, caller.userId))
  return {
    ended: ended.revoked.filter(livedAt(ended.at)).length,
    ended_at: DateTime.formatIso(ended.at)
  } satisfies AgentsEnded
})

const ending = Effect.fnUntraced(function* (projectId: string, by: string) {
  const settings = yield* AgentSettings
  const ended = yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      const ended = yield* settings.end(projectId, { by, confirm: confirmedByDefault })
      yield* disableTargetsOfAgents(projectId)
      yield* publishChanges(ended.revoked.map(revokedOf))
      return ended
    })
  )
  yield* (yield* Records).forgetProject(projectId)
  return ended
})

/** Webhooks and integrations go on sending. Those go on that an agent did not decide on last. */
const disableTargetsOfAgents = Effect.fnUntraced(function* (projectId: string) {
  const credentials = yield* Credentials
  const targets = yield* Targets
  // Rows of earlier releases say only who made them.
  const isOfAgent = ({ created_by: userId, of_agent }: TargetEntry) =>
    of_agent === null
      ? Effect.map(credentials.derived({ userId }), (_) => _ !== undefined && boundsOfRow(_).agent)
      : Effect.succeed(of_agent)
  const active = (yield* targets.list(projectId)).filter((_) => _.state === "active")
  const ofAgents = yield* Effect.filter(active, isOfAgent)
  yield* Effect.forEach(ofAgents, disableOfEnded, { discard: true })
})

/** Whether a credential worked, or was suspended, at this time: its mint was complete, and it was not over. */
const livedAt =
  (at: DateTime.Utc) =>
  ({ expires_at, mint_ends, revokes_at }: CredentialRow): boolean =>
    mint_ends === null && [expires_at, revokes_at].every((_) => _ === null || DateTime.isGreaterThan(_, at))

/** Deactivates the users of ended agents at the identity provider. Any replica may run this. */
export const sweepEndedAgents = Effect.gen(function* () {
  const settings = yield* AgentSettings
  const zitadel = yield* Zitadel
  yield* reconcile({
    what: "an ended agent",
    claim: settings.claimDeactivations,
    batch: deactivations,
    concurrency: 4,
    step: (row) => Effect.andThen(zitadel.deactivateUser(row.user_id), settings.deactivated(row.credential_id))
  })
}).pipe(Effect.withSpan("agents.sweepEnded"))
