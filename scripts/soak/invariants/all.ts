import { neverOversold, rateHolds } from "./ceilings.ts"
import type { Check } from "./check.ts"
import { delivered, streamed } from "./events.ts"
import { flat, noComplaint, noCrash, noInternalError, nothingUnderWay } from "./processes.ts"
import { chargedOnce, everyWriteIsAudited } from "./records.ts"
import { cleanSlate, noDrift, noOrphan, nothingLost } from "./resources.ts"

/** What has to be true of a run. */
export const checks: ReadonlyArray<Check> = [
  noCrash,
  noInternalError,
  noComplaint,
  everyWriteIsAudited,
  chargedOnce,
  delivered,
  streamed,
  nothingLost,
  nothingUnderWay,
  noDrift,
  noOrphan,
  cleanSlate,
  neverOversold,
  rateHolds,
  flat
]
