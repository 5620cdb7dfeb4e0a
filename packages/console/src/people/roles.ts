import { hasRole, type Me } from "../app/me.ts"
import type { Bilingual } from "../words/words.ts"

export type Role = "customer" | "customer-viewer" | "customer-engineer" | "customer-admin" | "customer-owner" | "admin"

/** What each role is for, in a sentence. */
export const roles: ReadonlyArray<{ readonly role: Role; readonly help: Bilingual }> = [
  { role: "customer-viewer", help: { en: "Reads.", de: "Liest." } },
  {
    role: "customer-engineer",
    help: { en: "Reads and writes, deletes nothing.", de: "Liest und schreibt, löscht nichts." }
  },
  {
    role: "customer",
    help: {
      en: "Reads, writes and deletes; manages no people.",
      de: "Liest, schreibt und löscht; verwaltet keine Personen."
    }
  },
  {
    role: "customer-admin",
    help: {
      en: "All of that, and manages people, organisation units and access policies.",
      de: "Alles davon, verwaltet dazu Personen, Organisationseinheiten und Zugriffsrichtlinien."
    }
  },
  {
    role: "customer-owner",
    help: {
      en: "Everything: also access to costs, and the end of projects and of the account.",
      de: "Alles: auch der Zugang zu Kosten sowie das Ende von Projekten und Konto."
    }
  },
  { role: "admin", help: { en: "The platform's own team.", de: "Das Team der Plattform selbst." } }
]

/** Owners and customer-admins give every role but these two; platform administrators give all. */
export const rolesThatMayBeGiven = (me: Me) =>
  roles.filter(({ role }) => me.all_projects || (role !== "admin" && role !== "customer-owner"))

export const setsBilling = (me: Me): boolean => hasRole(me, "customer-owner")
