import type { Section } from "../app/definitions.ts"
import { credentials } from "../credentials/area.ts"
import { databases } from "../databases/area.ts"
import { money } from "../money/area.ts"
import { overview } from "../overview/area.ts"
import { projects } from "../projects/area.ts"
import { status } from "../status/area.ts"

/** What customers have, in the order of the navigation. */
export const customerSections: ReadonlyArray<Section> = [
  { title: { en: "", de: "" }, areas: [overview] },
  {
    title: { en: "Storage & data", de: "Speicher & Daten" },
    areas: [databases]
  },
  {
    title: { en: "Access", de: "Zugang" },
    areas: [credentials]
  },
  {
    title: { en: "Account", de: "Konto" },
    areas: [money, projects, status]
  }
]
