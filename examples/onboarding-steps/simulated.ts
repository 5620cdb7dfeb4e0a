import { simulatedWith } from "@portico/testing/cloud/Simulated"
import * as rehearsal from "./rehearsal.ts"

/** The gateway with both steps, over a cloud and a company in memory. */
export const Simulated = simulatedWith(rehearsal.settings, rehearsal)
