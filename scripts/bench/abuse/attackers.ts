// The tenants that mean no good, by their numbers: enough to reach the ceilings of the process.

export const firstAttacker = 100
export const attackers = 12
