import { DateTime } from "effect"
import type { Agent } from "../CurrentAgent.ts"

const may = {
  0: "It may read: tools that write are refused.",
  1: "It may read, create, change and act."
}

/** Describes the caller, what it may do and what it may not. Other people may have written the names in it. */
export const agentDocument = ({ caller }: Agent) => {
  const { credentialId, credentialLabel, denies, expiresAt, networks, ou, tenant, userId } = caller
  return {
    user_id: userId,
    credential: credentialId === null ? null : { id: credentialId, label: credentialLabel },
    tenant: tenant === null ? null : { project_id: tenant.projectId, name: tenant.name },
    tier: caller.tier,
    expires_at: expiresAt === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(expiresAt)),
    organisation_unit: ou ?? null,
    networks: networks ?? null,
    denied_by_policy: (denies ?? []).map((_) => _.deny),
    billing: caller.billing,
    while_closing: tenant?.closing === true ? "The tenant is being deleted or closed: nothing can be changed." : null,
    while_suspended: tenant?.suspended === true ? "The tenant is suspended: nothing can be created or enlarged." : null,
    may: caller.tier === 0 ? may[0] : may[1],
    may_not: [
      "delete anything: a person does that",
      "read stored secrets, such as database passwords, S3 secret keys, Kubernetes Secrets and payloads of the key manager",
      "mint a credential above its own tier, above tier 1, for longer than 7 days or of another kind than mcp",
      "act in another tenant, or as a person with a role"
    ]
  }
}
