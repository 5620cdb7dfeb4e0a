/** The name prefix of the bucket in which a tenant's managed databases keep their backups. */
export const archivePrefix = (projectId: string): string => `db-archive-${projectId}-`

const suffix = "-db-archive"

/**
 * The access key with which a tenant's databases write their archive.
 *
 * @param uid the tenant's S3 user
 */
export const archiveKeyOf = (uid: string): string => `${uid}${suffix}`

/**
 * Whether a key is the databases' archive key. The tenant's own keys exclude
 * it: it is never listed, returned or deleted among them.
 */
export const isArchiveKey = (accessKey: string): boolean => accessKey.endsWith(suffix)
