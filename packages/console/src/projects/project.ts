import type { portico } from "../api/portico.ts"

export type Project = Awaited<ReturnType<typeof portico.projects.list>>["projects"][number]
export type ProjectDetail = Awaited<ReturnType<typeof portico.projects.show>>
export type Deletion = NonNullable<ProjectDetail["deletion"]>
export type Contents = Awaited<ReturnType<typeof portico.projects.contents>>
export type Account = Awaited<ReturnType<typeof portico.account.show>>

export const pathOf = (id: string): string => `/projects/${encodeURIComponent(id)}`
