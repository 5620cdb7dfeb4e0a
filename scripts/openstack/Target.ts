/** Which cloud the tests meet, and by which way. */
export const targets = ["direct", "gateway", "simulated"] as const

export type Target = (typeof targets)[number]
