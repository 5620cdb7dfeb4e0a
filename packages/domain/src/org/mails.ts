import type { Caller } from "@portico/contract/Access"
import { Conflict } from "@portico/contract/Failures"
import { InvitationMails } from "@portico/store/InvitationMails"
import { Effect } from "effect"
import { MailLimits, mailWindow } from "../MailLimits.ts"

/** The invitation mails of an account to one address in an hour. */
const perAddress = 5

/**
 * Counts an invitation mail that is about to be sent. Platform administrators
 * invite without a limit.
 *
 * Errors: 409 when the account has sent as many within the hour as it may, or
 * as many to this address.
 */
export const countMail = Effect.fnUntraced(function* (caller: Caller, projectId: string, email: string) {
  if (caller.admin) return
  const { invitations } = yield* MailLimits
  const limits = { window: mailWindow, perProject: invitations, perAddress }
  const taken = yield* (yield* InvitationMails).take(projectId, email, limits)
  if (!taken) return yield* Conflict.invitationAllowance(invitations, perAddress)
})
