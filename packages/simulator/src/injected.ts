/**
 * How many faults the clouds of this process have injected, by the operation whose call each of them hit: the outermost
 * span, such as `tenants.moveTier`.
 */
export const injected = new Map<string, number>()
