import type { Section } from "../app/definitions.ts"
import { credentials } from "../credentials/area.ts"
import { dns } from "../dns/area.ts"
import { edge } from "../edge/area.ts"
import { objects } from "../objects/area.ts"

/** What customers have, in the order of the navigation. */
export const customerSections: ReadonlyArray<Section> = [
  {
    title: { en: "Storage & data", de: "Speicher & Daten" },
    areas: [objects]
  },
  {
    title: { en: "Network", de: "Netz" },
    areas: [dns, edge]
  },
  {
    title: { en: "Access", de: "Zugang" },
    areas: [credentials]
  }
]
