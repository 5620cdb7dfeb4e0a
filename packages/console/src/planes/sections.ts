import type { Section } from "../app/definitions.ts"
import { credentials } from "../credentials/area.ts"
import { operations } from "../operations/area.ts"

/** What customers have, in the order of the navigation. */
export const customerSections: ReadonlyArray<Section> = [
  {
    title: { en: "Access", de: "Zugang" },
    areas: [credentials]
  },
  {
    title: { en: "Developer", de: "Entwicklung" },
    areas: [operations]
  }
]
