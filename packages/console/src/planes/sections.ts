import type { Section } from "../app/definitions.ts"
import { alarms } from "../alarms/area.ts"
import { autoscaling } from "../autoscaling/area.ts"
import { credentials } from "../credentials/area.ts"

/** What customers have, in the order of the navigation. */
export const customerSections: ReadonlyArray<Section> = [
  { title: { en: "Compute", de: "Rechnen" }, areas: [autoscaling] },
  { title: { en: "Events", de: "Ereignisse" }, areas: [alarms] },
  {
    title: { en: "Access", de: "Zugang" },
    areas: [credentials]
  }
]
