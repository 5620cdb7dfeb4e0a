import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { AgentRequest } from "@portico/contract/Agents"
import { agentMints } from "@portico/contract/Credentials"
import { DateTime, Duration, Effect } from "effect"
import { mint } from "../credentials/mint.ts"

/**
 * Mints a credential for an agent: kind `mcp`, tier 0 or 1, for seven days at most. Without an expiry it ends after
 * seven days, or with the caller. Errors: those of {@link mint}.
 */
export const mintAgent = Effect.fn("agents.mint")(function* (
  caller: Caller,
  tenant: CallerTenant,
  { expires_in_days, ...request }: AgentRequest
) {
  const days = expires_in_days ?? ((yield* outlivesCaller(caller)) ? undefined : agentMints.days)
  return yield* mint(caller, tenant, {
    ...request,
    kind: agentMints.kind,
    ...(days === undefined ? {} : { expires_in_days: days })
  })
})

/** Whether a credential of seven days would end after its maker. It then ends with its maker by default. */
const outlivesCaller = ({ expiresAt }: Caller) =>
  Effect.map(
    DateTime.now,
    (now) =>
      expiresAt !== undefined &&
      expiresAt < DateTime.toEpochMillis(now) + Duration.toMillis(Duration.days(agentMints.days))
  )
