import { tenants } from "./migrations/0001_tenants.ts"
import { credentials } from "./migrations/0002_credentials.ts"
import { onboardings } from "./migrations/0003_onboardings.ts"
import { events } from "./migrations/0004_events.ts"
import { people } from "./migrations/0005_people.ts"

/** Run once each, in order, at the start of every process. Never change one that was released; add another. */
export const migrations = {
  "0001_tenants": tenants,
  "0002_credentials": credentials,
  "0003_onboardings": onboardings,
  "0004_events": events,
  "0005_people": people
} as const
