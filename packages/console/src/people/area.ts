import { Users } from "lucide-react"
import { hasRole, type Me } from "../app/me.ts"
import type { Area } from "../app/definitions.ts"

const managesPeople = (me: Me): boolean => hasRole(me, "customer-owner", "customer-admin")

export const people: Area = {
  title: { en: "People", de: "Personen" },
  icon: Users,
  pages: [
    {
      path: "/people",
      title: { en: "People", de: "Personen" },
      load: () => import("./PeoplePage.tsx"),
      when: managesPeople,
      keywords: "users members roles team benutzer mitglieder rollen"
    }
  ],
  acts: [
    { title: { en: "Invite a person", de: "Person einladen" }, href: "/people?dialog=invite", when: managesPeople }
  ],
  finder: () => import("./person.ts")
}
