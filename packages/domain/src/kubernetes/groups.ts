import type { PermissionTier } from "@portico/contract/Access"

/** The user as which somebody acts in the cluster. */
export const clusterUser = (userId: string): string => `portico:${userId}`

/** Everybody who may read a tenant's namespace. */
export const readers = (projectId: string): string => `portico:tenant:${projectId}`

/** Those of them who may write: tier 1 and above. A binding to this group is the second lock behind the proxy's own. */
export const operators = (projectId: string): string => `${readers(projectId)}:operate`

/** For the operator's own policies; nothing is bound to it. */
export const tierGroup = (tier: PermissionTier): string => `portico:tier:${tier}`

/** The operator binds it to a role of the cluster. */
export const platformAdmins = "portico:platform-admins"
