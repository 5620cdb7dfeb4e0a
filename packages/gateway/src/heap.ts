import { setFlagsFromString } from "node:v8"

/**
 * V8 allocates objects in the old generation whose predecessors of the same place in the code survived. One round of
 * long requests is enough: from then on each request begins in the old generation, everything that belongs to it
 * survives every minor collection, and these take 25 ms instead of 1 ms. V8 does not reconsider it, because what
 * it looks at survives now.
 */
export const keepRequestsYoung = (): void => setFlagsFromString("--no-allocation-site-pretenuring")
