import type { PermissionTier } from "@portico/contract/Access"
import { Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { CredentialRow, type MemberRole, mintLease, type NewCredential } from "./Credentials.ts"

/** The permission tier of each role. */
export const memberTiers: Readonly<Record<MemberRole, PermissionTier>> = {
  "customer-owner": 2,
  "customer-admin": 2,
  customer: 2,
  "customer-engineer": 1,
  "customer-viewer": 0
}

/**
 * A member in a list, with the slug and the name of the project's tenant; both
 * are empty for a project without a tenant.
 */
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
  /** The member's initial organisation unit; the account itself when undefined. */
  readonly ou?: string | undefined
}

/**
 * `begun`: the record exists, and does not work until it is complete. `member`:
 * the address already belongs to a member. `busy`: another invitation or a
 * removal of the address holds the lease. `elsewhere`: another project has a
 * record of the address. `full`: the allowance is used up.
 */
export type Begun =
  | { readonly _tag: "begun" | "member"; readonly row: CredentialRow }
  | { readonly _tag: "busy" | "elsewhere" | "full" }

/** The sweep finishes an invitation or a removal that takes longer. */
export const memberLease = mintLease

/**
 * A member's id follows from project and address. So a repeated invitation of
 * the same person finds the record, and what it made.
 */
export const memberIdOf = (projectId: string, email: string): string =>
  `member-${createHash("sha256").update(`${projectId}/${email.toLowerCase()}`).digest("hex").slice(0, 24)}`

const invited = "invited:"

/**
 * The invitation's unique id, which separates it from every other invitation of
 * the same person, past ones included. All attempts at one invitation share it.
 * Undefined once the login exists.
 */
export const invitationOf = ({ user_id }: CredentialRow): string | undefined =>
  user_id.startsWith(invited) ? user_id.slice(invited.length) : undefined

/** A new member's record. Its user has no real id before the login exists. */
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

/** True for an active owner of its project, and false for one who is being removed. */
export const isOwner = (row: CredentialRow | undefined): boolean =>
  row?.state === "active" && row.role === "customer-owner"
