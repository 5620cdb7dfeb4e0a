import type { Caller } from "@portico/contract/Access"
import type { Whoami } from "@portico/contract/Identity"

/** The identity document of the caller. */
export const whoami = (caller: Caller): Whoami => ({
  user_id: caller.userId,
  user_name: caller.userName,
  user_email: caller.userEmail,
  roles: caller.roles,
  tenant:
    caller.tenant === null
      ? null
      : { id: caller.tenant.projectId, name: caller.tenant.name, source: caller.tenant.source },
  all_projects: caller.admin,
  tier: caller.tier,
  credential_id: caller.credentialId,
  credential_label: caller.credentialLabel
})
