import type { portico } from "../api/portico.ts"

export type Budget = Awaited<ReturnType<typeof portico.money.budgets>>["budgets"][number]
