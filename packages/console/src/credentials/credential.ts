import type { portico } from "../api/portico.ts"

export type Credential = Awaited<ReturnType<typeof portico.credentials.list>>["credentials"][number]
