import type { operator } from "../portico.ts"

export type Capacity = Awaited<ReturnType<typeof operator.signups.capacity>>
export type Admission = Capacity["tiers"][number]
export type AdmissionRow = Admission["dimensions"][number]
export type Dimension = AdmissionRow["dimension"]
export type Tier = Admission["tier"]
export type PaceRow = Capacity["pace"]["dimensions"][number]
export type Onboarding = Awaited<ReturnType<typeof operator.journal.list>>["onboardings"][number]

export const tierNames: ReadonlyArray<Tier> = ["discovery", "standard", "extension"]
