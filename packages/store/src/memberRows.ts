import type { PermissionTier } from "@portico/contract/Access"
import { Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { CredentialRow, type MemberRole, mintLease, type NewCredential } from "./Credentials.ts"

/** What a member of this role may do without asking, by tier. */
export const memberTiers: Readonly<Record<MemberRole, PermissionTier>> = {
  "customer-owner": 2,
  "customer-admin": 2,
  customer: 2,
  "customer-engineer": 1,
  "customer-viewer": 0
}

/** A member as lists have it, with the platform's name of the project and the organisation's own; empty for a project without a tenant. */
export const ListedMember = Schema.Struct({
  ...CredentialRow.fields,
  project_name: Schema.String,
  tenant_name: Schema.String
})
export type ListedMember = typeof ListedMember.Type

export interface Invitation {
  readonly projectId: string
  readonly email: string
  readonly role: MemberRole
  readonly displayName: string
  readonly invitedBy: string
  /** The organisation unit that the member begins in; the account itself without one. */
  readonly ou?: string | undefined
}

/**
 * `begun`: the record is there, and works for nobody until it is complete.
 * `member`: the address is one of a member already. `busy`: another
 * invitation of the address, or a removal, is at work. `elsewhere`: another
 * project has a record of the address. `full`: the allowance is used up.
 */
export type Begun =
  | { readonly _tag: "begun" | "member"; readonly row: CredentialRow }
  | { readonly _tag: "busy" | "elsewhere" | "full" }

/** An invitation or a removal that takes longer is finished by a sweep. */
export const memberLease = mintLease

/** A member's record is known by project and address: whoever invites the same person again finds it, and what it made. */
export const memberIdOf = (projectId: string, email: string): string =>
  `member-${createHash("sha256").update(`${projectId}/${email.toLowerCase()}`).digest("hex").slice(0, 24)}`

const invited = "invited:"

/**
 * What tells the invitation of a record from every other one of the same
 * person, also from those whose record is gone. All attempts at it have it in
 * common. Undefined once the login is there.
 */
export const invitationOf = ({ user_id }: CredentialRow): string | undefined =>
  user_id.startsWith(invited) ? user_id.slice(invited.length) : undefined

/** A member's record, whose user has no id before its login is there. */
export const recordOf = (invitation: Invitation, state: "minting" | "active") => {
  const { displayName, email, invitedBy, projectId, role } = invitation
  const id = memberIdOf(projectId, email)
  return {
    credential_id: id,
    project_id: projectId,
    user_id: `${invited}${id}:${randomUUID()}`,
    kind: "member",
    tier: memberTiers[role],
    label: email,
    state,
    client_id: "",
    pat_hash: null,
    created_by: invitedBy,
    ou: invitation.ou ?? null,
    expires_at: null,
    role,
    display_name: displayName,
    email
  } satisfies NewCredential
}

/** Whether this is an owner of its project, and not one who is being removed. */
export const isOwner = (row: CredentialRow | undefined): boolean =>
  row?.state === "active" && row.role === "customer-owner"
