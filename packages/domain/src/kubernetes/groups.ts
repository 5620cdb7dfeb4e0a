import type { PermissionTier } from "@portico/contract/Access"

/** The user name under which a caller acts in the cluster. */
export const clusterUser = (userId: string): string => `portico:${userId}`

/** The group of all callers that may read a tenant's namespace. */
export const readers = (projectId: string): string => `portico:tenant:${projectId}`

/**
 * The group of those that may write: tier 1 and above. The binding to this group is a second check
 * besides the proxy's own.
 */
export const operators = (projectId: string): string => `${readers(projectId)}:operate`

/** A group for the operator's own policies; the gateway binds nothing to it. */
export const tierGroup = (tier: PermissionTier): string => `portico:tier:${tier}`

/** The group of platform administrators; the operator binds it to a cluster role. */
export const platformAdmins = "portico:platform-admins"
