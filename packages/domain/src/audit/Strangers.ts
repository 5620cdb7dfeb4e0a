import { Pace } from "./Pace.ts"

/** So many calls of nobody known are recorded at once, and so many a second afterwards. */
export const burst = 1_000
export const perSecond = 5

/**
 * How many calls without a known caller may still be recorded. Anybody can
 * make them, and each would be a row that is kept for a month: whoever floods
 * the gateway must not fill its database, nor push aside what known callers
 * did.
 */
export class Strangers extends Pace {
  constructor() {
    super(burst, perSecond)
  }
}
