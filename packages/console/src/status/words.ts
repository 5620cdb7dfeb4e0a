import { wordsOf } from "../words/words.ts"

/** The services under the keys that the gateway has for them. */
export const serviceNames = wordsOf(
  {
    compute: "Servers",
    storage: "Volumes and images",
    network: "Networks",
    portal: "Logins",
    api: "API, metrics and alarms",
    billing: "Costs and invoices",
    events: "Events and records",
    "object-storage": "Object storage",
    databases: "Databases"
  },
  {
    compute: "Server",
    storage: "Volumes und Abbilder",
    network: "Netze",
    portal: "Anmeldung",
    api: "API, Messwerte und Alarme",
    billing: "Kosten und Rechnungen",
    events: "Ereignisse und Aufzeichnungen",
    "object-storage": "Objektspeicher",
    databases: "Datenbanken"
  }
)

export const words = wordsOf(
  {
    title: "Service status",
    about: "How each service is. The platform probes itself, so that a failure shows within a minute.",
    ok: "works",
    normal: "Operating normally.",
    degraded: "degraded",
    down: "down",
    overall: "The platform",
    service: "Service",
    state: "State",
    detail: "Now",
    asOf: "As of",
    incidents: "Incidents",
    noIncidents: "No incident stands now.",
    maintenance: "Maintenance",
    noMaintenance: "No maintenance is planned.",
    incident: "Incident",
    wholePlatform: "the whole platform",
    minor: "minor",
    major: "major",
    critical: "critical",
    from: "from",
    until: "until",
    openEnd: "its end is not known"
  },
  {
    title: "Dienststatus",
    about: "Wie es jedem Dienst geht. Die Plattform prüft sich selbst, eine Störung zeigt sich binnen einer Minute.",
    ok: "in Ordnung",
    normal: "Arbeitet normal.",
    degraded: "eingeschränkt",
    down: "ausgefallen",
    overall: "Die Plattform",
    service: "Dienst",
    state: "Zustand",
    detail: "Jetzt",
    asOf: "Stand",
    incidents: "Störungen",
    noIncidents: "Zurzeit gibt es keine Störung.",
    maintenance: "Wartung",
    noMaintenance: "Keine Wartung ist geplant.",
    incident: "Störung",
    wholePlatform: "die ganze Plattform",
    minor: "leicht",
    major: "schwer",
    critical: "kritisch",
    from: "von",
    until: "bis",
    openEnd: "ein Ende ist nicht bekannt"
  }
)
