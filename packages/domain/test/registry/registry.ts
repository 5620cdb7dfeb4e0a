import { mint } from "@portico/domain/credentials/mint"
import { Effect } from "effect"
import { ownerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"

let made = 0

/** A credential of a tenant's, with its secrets; each of a tenant of its own. */
export const credentialOf = Effect.fnUntraced(function* (tier: 0 | 1 | 2) {
  const { caller, tenant } = yield* ownerOf("standard", `Tenant ${(made += 1)}`)
  const minted = yield* inTime(mint(caller, tenant, { kind: "api-key", tier, label: "docker" }))
  return { ...minted, caller, projectId: tenant.projectId }
})
