import { agents } from "../agents/area.ts"
import { alarms } from "../alarms/area.ts"
import type { Plane, Section } from "../app/definitions.ts"
import { audit } from "../audit/area.ts"
import { autoscaling } from "../autoscaling/area.ts"
import { compute } from "../compute/area.ts"
import { credentials } from "../credentials/area.ts"
import { databases } from "../databases/area.ts"
import { dns } from "../dns/area.ts"
import { edge } from "../edge/area.ts"
import { events } from "../events/area.ts"
import { money } from "../money/area.ts"
import { floatingIps, natGateways, networks, securityGroups } from "../network/area.ts"
import { objects } from "../objects/area.ts"
import { operations } from "../operations/area.ts"
import { overview } from "../overview/area.ts"
import { people } from "../people/area.ts"
import { policy } from "../policy/area.ts"
import { projects } from "../projects/area.ts"
import { status } from "../status/area.ts"
import { images, volumes } from "../storage/area.ts"
import { integrations, webhooks } from "../targets/area.ts"

/** What customers have, in the order of the navigation. */
const sections: ReadonlyArray<Section> = [
  { title: { en: "", de: "" }, areas: [overview] },
  { title: { en: "Compute", de: "Rechnen" }, areas: [compute, autoscaling] },
  { title: { en: "Storage & data", de: "Speicher & Daten" }, areas: [volumes, images, objects, databases] },
  {
    title: { en: "Network", de: "Netz" },
    areas: [networks, floatingIps, securityGroups, natGateways, dns, edge]
  },
  { title: { en: "Access", de: "Zugang" }, areas: [credentials, people, policy, agents] },
  { title: { en: "Events", de: "Ereignisse" }, areas: [audit, events, alarms, webhooks, integrations] },
  { title: { en: "Account", de: "Konto" }, areas: [money, projects, status] },
  { title: { en: "Developer", de: "Entwicklung" }, areas: [operations] }
]

export const plane: Plane = { name: "customer", sections, written: {} }
