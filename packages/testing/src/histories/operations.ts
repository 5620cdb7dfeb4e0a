import { closeAccount } from "@portico/domain/accounts/close"
import { reopenAccount } from "@portico/domain/accounts/reopen"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate } from "@portico/domain/credentials/rotate"
import { onboard } from "@portico/domain/onboarding/onboard"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { reconcilePurges } from "@portico/domain/projects/purge"
import { removeProject } from "@portico/domain/projects/remove"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { Conflict } from "@portico/contract/Failures"
import type { Onboarded } from "@portico/contract/Tenants"
import { Tenants } from "@portico/store/Tenants"
import { Cause, Effect, Exit, Redacted } from "effect"
import { administrator, resolve } from "../tenants/caller.ts"
import { lookOf } from "./model.ts"
import type { Ask } from "./plan.ts"
import { type Acme, name, removal } from "./scenes.ts"

/** What an operation answered: `ok` or the code of its failure, and what it made. */
export interface Answered {
  readonly answer: string
  readonly credential?: { readonly id: string; readonly token: Redacted.Redacted }
  readonly onboarded?: Onboarded
}

/** The first credential calls, as the gateway lets it: nothing new while its tenant is being deleted or closed. */
const asking = Effect.fnUntraced(function* ({ tokens }: Acme) {
  const caller = yield* resolve(tokens.c0)
  const { tenant } = caller
  if (tenant === null) return yield* Effect.die("the first credential has no tenant")
  if (tenant.closing) return yield* Conflict.closing()
  return { caller, tenant }
})

const ok: Answered = { answer: "ok" }

const secretsOf = ({ credential_id: id, pat }: { readonly credential_id: string; readonly pat: string }): Answered => ({
  ...ok,
  credential: { id, token: Redacted.make(pat) }
})

const request = { kind: "api-key", tier: 1, label: "new" } as const

const run = Effect.fnUntraced(function* (acme: Acme, operation: Ask) {
  const { account, ids, projectId, tokens } = acme
  switch (operation.ask) {
    case "mint": {
      const { caller, tenant } = yield* asking(acme)
      return secretsOf(yield* mint(caller, tenant, request))
    }
    case "rotate": {
      const { caller, tenant } = yield* asking(acme)
      const { overlap, target } = operation
      return secretsOf(yield* rotate(caller, tenant, ids[target], { overlap_seconds: overlap }))
    }
    case "revoke":
      return yield* Effect.as(revoke(administrator, ids[operation.target]), ok)
    case "moveTier":
      return yield* Effect.as(moveTier(projectId, operation.tier), ok)
    case "suspend":
      return yield* Effect.as(suspend(projectId), ok)
    case "remove":
      return yield* Effect.as(removeProject(administrator, removal(projectId)), ok)
    case "cancel":
      return yield* Effect.as(cancelDeletion(projectId), ok)
    case "purge":
      return yield* Effect.as(reconcilePurges, ok)
    case "close":
      return yield* Effect.as(closeAccount(administrator, projectId, { confirm: name }), ok)
    case "reopen":
      return yield* Effect.as(reopenAccount(account), ok)
    case "onboard":
      return { ...ok, onboarded: yield* onboard({ name, tier: "standard" }) }
    case "use":
      return yield* Effect.as(resolve(tokens[operation.target]), ok)
    case "look": {
      const entry = yield* (yield* Tenants).find(projectId)
      return {
        answer: lookOf({
          tenant: entry === undefined ? null : { ...entry, pending: entry.pending_tier, changing: null }
        })
      }
    }
  }
})

/** Runs an operation. A defect is an answer too, which nothing explains. */
export const answered = (acme: Acme, operation: Ask) =>
  Effect.map(Effect.exit(run(acme, operation)), (exit): Answered => {
    if (Exit.isSuccess(exit)) return exit.value
    const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
    return { answer: failure === undefined ? `broken: ${Cause.pretty(exit.cause)}` : failure.code }
  })
