import { wordsOf } from "../../words/words.ts"

export const words = wordsOf(
  {
    title: "Overview",
    about: "The platform in a few numbers, and what waits for somebody.",
    waiting: "Signups waiting",
    stuck: "Onboardings stuck",
    incidents: "Incidents now",
    trouble: "Upstreams in trouble",
    tenants: "Tenants",
    suspended: (count: string) => `${count} suspended`,
    nodes: "Nodes up",
    nodesOf: (up: string, total: string) => `${up} of ${total}`,
    use: (cpu: string, memory: string) => `CPU ${cpu}, memory ${memory}`,
    servers: "Servers measured",
    alarms: "Alarms that stand",
    allWell: "all well",
    look: "Look",
    services: "Services",
    capacity: "Sellable budget",
    more: "Forecast and hardware",
    unknown: "unknown"
  },
  {
    title: "Übersicht",
    about: "Die Plattform in wenigen Zahlen, und was auf jemanden wartet.",
    waiting: "Wartende Anmeldungen",
    stuck: "Hängende Einrichtungen",
    incidents: "Störungen jetzt",
    trouble: "Systeme mit Problemen",
    tenants: "Mandanten",
    suspended: (count: string) => `${count} ausgesetzt`,
    nodes: "Laufende Knoten",
    nodesOf: (up: string, total: string) => `${up} von ${total}`,
    use: (cpu: string, memory: string) => `CPU ${cpu}, Arbeitsspeicher ${memory}`,
    servers: "Gemessene Server",
    alarms: "Anstehende Alarme",
    allWell: "alles gut",
    look: "Ansehen",
    services: "Dienste",
    capacity: "Verkäufliches Budget",
    more: "Vorschau und Hardware",
    unknown: "unbekannt"
  }
)
