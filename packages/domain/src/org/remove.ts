import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import type { RemovedUser } from "@portico/contract/Org"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Members } from "@portico/store/Members"
import { Targets } from "@portico/store/Targets"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { endedAlone } from "../credentials/revoke.ts"
import { dropRecipient } from "../targets/integrations.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { removeInvitation, removeLogin } from "./login.ts"
import { projectOf } from "../access/reach.ts"
import { managesPeople, mayTouch } from "./roles.ts"
import { removeFromTeam } from "./team.ts"
import { reconcile } from "../work/reconcile.ts"

/**
 * Removes a member. The first step takes away all access. Then all machine
 * credentials are revoked that the member made, directly or through other
 * credentials, integrations stop mailing the member's address, the login is
 * removed, and the record last. Webhooks and integrations that the member made
 * go on. A removal that was cut short is finished by a repeat, or by {@link
 * sweepMembers}. A platform administrator also removes people of the platform
 * team.
 *
 * Errors: 403 without the role that manages people, for an owner when the
 * caller is not an owner, and for a member who is a platform administrator; the
 * same 404 for an unknown user and for another account's; 409 for the last
 * owner, and while the account's integrations are being changed; 502 with the
 * identity provider's message, when the removal is not complete and has to be
 * repeated.
 */
export const removeUser = Effect.fn("org.removeUser")(function* (caller: Caller, userId: string) {
  if (!managesPeople(caller)) return yield* Forbidden.peopleRole()
  const row = yield* (yield* Members).find(userId, projectOf(caller))
  if (row === undefined && caller.admin) return yield* removeFromTeam(caller, userId)
  if (row === undefined) return yield* NotFound.user(userId)
  yield* mayTouch(caller, row)
  return yield* (yield* RunToCompletion).run(leave(row))
})

const leave = Effect.fnUntraced(function* (row: CredentialRow) {
  const leaving = yield* (yield* Members).beginRemoval(row)
  yield* (yield* Records).forgetMaker(row)
  if (leaving === "last owner") return yield* Conflict.lastOwner()
  if (leaving === undefined) return yield* NotFound.user(row.user_id)
  const kept = yield* targetsOf(leaving)
  const credentials_revoked = yield* Effect.catchTag(finishRemoval(leaving), "UpstreamError", badGateway)
  return { user_id: row.user_id, credentials_revoked, ...kept } satisfies RemovedUser
})

/** The webhooks and integrations made by the person or by a credential below the person. They belong to the account. */
const targetsOf = Effect.fnUntraced(function* ({ credential_id, project_id, user_id }: CredentialRow) {
  const made = yield* (yield* Credentials).madeBelow(credential_id)
  const theirs = new Set([user_id, ...made.map((_) => _.user_id)])
  const targets = (yield* (yield* Targets).list(project_id)).filter((_) => theirs.has(_.created_by))
  const idsOf = (webhooks: boolean) =>
    targets.filter((_) => (_.kind === "webhook") === webhooks).map((_) => _.target_id)
  return { webhooks_kept: idsOf(true), integrations_kept: idsOf(false) }
})

/** How many credentials are revoked at once. */
const concurrency = 4

/**
 * Finishes a removal that was begun. Every part of it may be repeated.
 *
 * @returns the ids of the credentials that were revoked for it, now or in an
 * earlier attempt
 */
export const finishRemoval = Effect.fnUntraced(function* (row: CredentialRow) {
  const members = yield* Members
  const made = yield* members.credentialsOf(row)
  // A mint under way cannot complete any more: it removes what it has made.
  yield* Effect.forEach(
    made.filter((_) => _.state !== "revoked"),
    endedAlone,
    { concurrency, discard: true }
  )
  yield* dropRecipient(row.project_id, row.email)
  yield* removeLogin(row.user_id)
  yield* members.drop(row)
  return made.filter((_) => _.state !== "minting").map((_) => _.credential_id)
})

/**
 * Finishes what was cut short: rolls invitations back, because their callers
 * may not want them any more, and completes removals. Any replica may run it;
 * each record goes to one.
 */
export const sweepMembers = Effect.gen(function* () {
  yield* reconcile({
    what: "an invitation or a removal of a member",
    claim: (yield* Members).claimAbandoned,
    concurrency: 4,
    step: (row) => (row.state === "revoked" ? finishRemoval(row) : removeInvitation(row))
  })
}).pipe(Effect.withSpan("org.sweepMembers"))
