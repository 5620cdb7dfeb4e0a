/** What the name of the bucket begins with in which the managed databases of a tenant keep their backups. */
export const archivePrefix = (projectId: string): string => `db-archive-${projectId}-`
