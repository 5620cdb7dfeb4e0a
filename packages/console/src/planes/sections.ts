import type { Section } from "../app/definitions.ts"
import { compute } from "../compute/area.ts"
import { credentials } from "../credentials/area.ts"
import { operations } from "../operations/area.ts"
import { images, volumes } from "../storage/area.ts"

/** What customers have, in the order of the navigation. */
export const customerSections: ReadonlyArray<Section> = [
  {
    title: { en: "Compute", de: "Rechnen" },
    areas: [compute]
  },
  {
    title: { en: "Storage", de: "Speicher" },
    areas: [volumes, images]
  },
  {
    title: { en: "Access", de: "Zugang" },
    areas: [credentials]
  },
  {
    title: { en: "Developer", de: "Entwicklung" },
    areas: [operations]
  }
]
