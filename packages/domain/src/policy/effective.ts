import type { Caller } from "@portico/contract/Access"
import { Invalid, NotFound } from "@portico/contract/Failures"
import { type EffectivePolicy, lineageOf } from "@portico/contract/Policy"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { OrganisationUnits } from "@portico/store/OrganisationUnits"
import { Policies } from "@portico/store/Policies"
import { Effect } from "effect"
import { boundsOfRow } from "../access/bounds.ts"
import { combine } from "../access/combine.ts"
import { limitsOf } from "../access/limits.ts"
import { projectOf } from "./scope.ts"

/** Of whom it is asked: at most one of them; of the caller itself without any. */
export interface PolicySubject {
  readonly credential_id?: string
  readonly user_id?: string
  readonly ou?: string
}

/**
 * What the policies from the account down to a unit come to, and which of them
 * decided it. Costs the same however many units and policies there are.
 *
 * Errors: 404 for a credential, user or unit that is not the account's; those of {@link projectOf}; 422 for two questions at once.
 */
export const effective = Effect.fn("policy.effective")(function* (
  caller: Caller,
  project: string | undefined,
  asked: PolicySubject
) {
  if (Object.keys(asked).length > 1) return yield* Invalid.issues([onlyOne])
  const projectId = yield* projectOf(caller, project)
  const { member, ou } = yield* subjectOf(caller, projectId, asked)
  const said = new Map((yield* (yield* Policies).along(projectId, ou)).map((_) => [_.ou, _]))
  const units = lineageOf(ou).map((_) => ({
    ou: _,
    max_tier: said.get(_)?.max_tier ?? null,
    denies: said.get(_)?.denies ?? []
  }))
  const { denies, maxTier } = combine(units)
  const isMember = member?.kind === "member"
  // A credential's own makers bound it too, with their policies where they are in other units.
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

/** Who it is about, and where; nobody in particular for a unit. */
const subjectOf = Effect.fnUntraced(function* (caller: Caller, projectId: string, asked: PolicySubject) {
  const { credential_id, ou, user_id } = asked
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

/** Who is bound to the account without a record of ours, and a platform administrator, is subject to its own policy alone. */
const own = Effect.fnUntraced(function* ({
  credentialId
}: Caller): Effect.fn.Return<CredentialRow | undefined, never, Credentials> {
  return credentialId === null ? undefined : yield* (yield* Credentials).find(credentialId)
})
