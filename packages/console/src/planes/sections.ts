import { agents } from "../agents/area.ts"
import type { Section } from "../app/definitions.ts"
import { audit } from "../audit/area.ts"
import { credentials } from "../credentials/area.ts"
import { events } from "../events/area.ts"
import { people } from "../people/area.ts"
import { policy } from "../policy/area.ts"
import { webhooks } from "../webhooks/area.ts"

/** What customers have, in the order of the navigation. */
export const customerSections: ReadonlyArray<Section> = [
  {
    title: { en: "Access", de: "Zugang" },
    areas: [credentials, people, policy, agents]
  },
  {
    title: { en: "Events", de: "Ereignisse" },
    areas: [audit, events, webhooks]
  }
]
