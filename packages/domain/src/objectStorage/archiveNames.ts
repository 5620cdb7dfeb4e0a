/** What the name of the bucket begins with in which the managed databases of a tenant keep their backups. */
export const archivePrefix = (projectId: string): string => `db-archive-${projectId}-`

const suffix = "-db-archive"

/** The access key that a tenant's databases write their archive with, by the tenant's S3 user. */
export const archiveKeyOf = (uid: string): string => `${uid}${suffix}`

/** Not one of the tenant's own keys: it is neither listed, nor handed out, nor deleted among them. */
export const isArchiveKey = (accessKey: string): boolean => accessKey.endsWith(suffix)
