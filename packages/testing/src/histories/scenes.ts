import { mint } from "@portico/domain/credentials/mint"
import { closeAccount } from "@portico/domain/accounts/close"
import { removeProject } from "@portico/domain/projects/remove"
import { suspend } from "@portico/domain/tenants/suspend"
import { Accounts } from "@portico/store/Accounts"
import { Effect, Redacted } from "effect"
import { inTime } from "../clock.ts"
import { administrator, ownerOf, resolve } from "../tenants/caller.ts"
import type { First, Scene } from "./plan.ts"

export const name = "Acme GmbH"
export const slug = "acme-gmbh"

/** The tenant at the beginning, and the ids and the tokens of its credentials. */
export interface Acme {
  readonly projectId: string
  readonly account: string
  readonly ids: Readonly<Record<First, string>>
  readonly tokens: Readonly<Record<First, Redacted.Redacted>>
}

export const removal = (projectId: string) => ({ projectId, confirm: slug, requestId: "request-1" })

const live = Effect.gen(function* () {
  const { caller, credentialId, tenant, token } = yield* ownerOf("standard", name)
  const request = { kind: "api-key", tier: 2, label: "CI" } as const
  const first = yield* inTime(mint(caller, tenant, request))
  const second = yield* inTime(mint(yield* resolve(first.pat), tenant, request))
  const account = yield* (yield* Accounts).findByProject(tenant.projectId)
  return {
    projectId: tenant.projectId,
    account: String(account?.number),
    ids: { c0: credentialId, c1: first.credential_id, c2: second.credential_id },
    tokens: { c0: token, c1: Redacted.make(first.pat), c2: Redacted.make(second.pat) }
  } satisfies Acme
})

/** Makes the tenant of a scene. */
export const begin = Effect.fnUntraced(function* (scene: Scene) {
  const acme = yield* live
  const { projectId } = acme
  if (scene === "suspended") yield* inTime(suspend(projectId))
  if (scene === "condemned") yield* inTime(removeProject(administrator, removal(projectId)))
  if (scene === "closed") yield* inTime(closeAccount(administrator, projectId, { confirm: name }))
  return acme
})
