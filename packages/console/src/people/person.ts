import type { portico } from "../api/portico.ts"

export type Person = Awaited<ReturnType<typeof portico.orgUsers.list>>["users"][number]
