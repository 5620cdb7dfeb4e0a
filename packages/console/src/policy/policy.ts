import type { portico } from "../api/portico.ts"

export type Unit = Awaited<ReturnType<typeof portico.policy.listUnits>>["ous"][number]
export type Policy = Awaited<ReturnType<typeof portico.policy.listPolicies>>["policies"][number]
export type Effective = Awaited<ReturnType<typeof portico.policy.effective>>
