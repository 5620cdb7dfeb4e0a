import type { Caller } from "@portico/contract/Access"
import { Invalid, NotFound } from "@portico/contract/Failures"
import { type EffectivePolicy, lineageOf } from "@portico/contract/Policy"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { OrganisationUnits } from "@portico/store/OrganisationUnits"
import { Policies } from "@portico/store/Policies"
import { Effect } from "effect"
import { boundsOfRow } from "../access/bounds.ts"
import { combine, limitsOf } from "../access/limits.ts"
import { projectOf } from "./scope.ts"

/** The subject: at most one of these. Without any, the caller itself. */
export interface PolicySubject {
  readonly credential_id?: string
  readonly user_id?: string
  readonly ou?: string
}

/**
 * The combined effect of the policies from the account down to a unit, and
 * which of them decided it. The cost does not depend on the number of units and
 * policies.
 *
 * Errors: 404 for a credential, user or unit that is not the account's; those
 * of {@link projectOf}; 422 for more than one subject.
 */
export const effective = Effect.fn("policy.effective")(function* (
  caller: Caller,
  project: string | undefined,
  subject: PolicySubject
) {
  if (Object.keys(subject).length > 1) return yield* Invalid.issues([onlyOne])
  const projectId = yield* projectOf(caller, project)
  const { member, ou } = yield* subjectOf(caller, projectId, subject)
  const policies = new Map((yield* (yield* Policies).along(projectId, ou)).map((_) => [_.ou, _]))
  const units = lineageOf(ou).map((_) => ({
    ou: _,
    max_tier: policies.get(_)?.max_tier ?? null,
    denies: policies.get(_)?.denies ?? []
  }))
  const { denies, maxTier } = combine(units)
  const isMember = member?.kind === "member"
  // A credential's makers bound it too, with the policies of their own units.
  const derived = member === undefined ? undefined : yield* (yield* Credentials).derived({ id: member.credential_id })
  const bounds = derived === undefined ? undefined : boundsOfRow(derived)
  const tier = bounds?.tier ?? null
  const most = bounds === undefined ? 2 : (yield* limitsOf(projectId, bounds.units)).maxTier
  return {
    project_id: projectId,
    ou,
    credential_id: isMember ? null : (member?.credential_id ?? null),
    user_id: isMember ? member.user_id : null,
    tier,
    effective_tier: tier === null || tier < most ? tier : most,
    max_tier: maxTier?.tier ?? null,
    max_tier_from: maxTier?.from ?? null,
    denies,
    units
  } satisfies EffectivePolicy
})

const onlyOne = {
  loc: ["query"],
  msg: "Input should be at most one of credential_id, user_id and ou",
  type: "value_error"
}

/** The subject's record and its unit; a query for a unit has no record. */
const subjectOf = Effect.fnUntraced(function* (caller: Caller, projectId: string, subject: PolicySubject) {
  const { credential_id, ou, user_id } = subject
  if (ou !== undefined) {
    if (ou !== "" && !(yield* (yield* OrganisationUnits).exists(projectId, ou))) return yield* NotFound.unit(ou)
    return { member: undefined, ou }
  }
  const member =
    credential_id !== undefined
      ? yield* credential(projectId, credential_id)
      : user_id !== undefined
        ? yield* person(projectId, user_id)
        : yield* own(caller)
  return { member, ou: member?.ou ?? "" }
})

const credential = Effect.fnUntraced(function* (projectId: string, id: string) {
  const found = yield* (yield* OrganisationUnits).member(projectId, id)
  return found?.kind === "member" || found === undefined ? yield* NotFound.credential(id) : found
})

const person = Effect.fnUntraced(function* (projectId: string, id: string) {
  const found = yield* (yield* OrganisationUnits).member(projectId, id)
  return found?.kind === "member" ? found : yield* NotFound.unitMember(id)
})

/**
 * A caller that is bound to the account without a record of ours, and a
 * platform administrator, are subject to the account's own policy alone.
 */
const own = Effect.fnUntraced(function* ({
  credentialId
}: Caller): Effect.fn.Return<CredentialRow | undefined, never, Credentials> {
  return credentialId === null ? undefined : yield* (yield* Credentials).find(credentialId)
})
