import type { Plane, Section } from "../app/definitions.ts"
import { audit } from "../audit/area.ts"
import { credentials } from "../credentials/area.ts"
import { events } from "../events/area.ts"
import { operations } from "../operations/area.ts"
import {
  accounts,
  capacity,
  incidents,
  issuers,
  machines,
  onboardings,
  overview,
  signups,
  tenants,
  upstreams
} from "../operator/area.ts"

/** What operators have. Areas that are about one tenant need one, and an operator has none. */
const sections: ReadonlyArray<Section> = [
  { title: { en: "", de: "" }, areas: [overview] },
  { title: { en: "Tenants", de: "Mandanten" }, areas: [signups, tenants, onboardings, accounts] },
  { title: { en: "Platform", de: "Plattform" }, areas: [capacity, upstreams, incidents] },
  { title: { en: "Access", de: "Zugang" }, areas: [credentials, machines, issuers] },
  { title: { en: "Events", de: "Ereignisse" }, areas: [audit, events] },
  { title: { en: "Developer", de: "Entwicklung" }, areas: [operations] }
]

export const plane: Plane = {
  name: "operator",
  sections,
  written: {
    tenants: ["tenants", "accounts", "deletions", "drift", "monitoring", "signups", "journal"],
    signups: ["signups", "tenants", "monitoring", "journal"],
    journal: ["journal", "tenants"],
    status: ["status", "incidents"]
  }
}
