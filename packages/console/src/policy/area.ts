import { ShieldCheck } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import { hasRole } from "../app/me.ts"

export const policy: Area = {
  title: { en: "Access policy", de: "Zugriffsrichtlinien" },
  icon: ShieldCheck,
  pages: [
    {
      path: "/policy",
      title: { en: "Access policy", de: "Zugriffsrichtlinien" },
      load: () => import("./PolicyPage.tsx"),
      keywords: "organisation units ou einheiten deny tier"
    },
    {
      path: "/policy/effective",
      title: { en: "Why may I not?", de: "Warum darf ich nicht?" },
      load: () => import("./EffectivePage.tsx"),
      keywords: "effective denied forbidden 403 verboten"
    }
  ],
  acts: [
    {
      title: { en: "Create an organisation unit", de: "Organisationseinheit anlegen" },
      href: "/policy?dialog=unit",
      when: (me) => hasRole(me, "customer-owner", "customer-admin")
    },
    {
      title: { en: "Put somebody into a unit", de: "Jemanden einer Einheit zuordnen" },
      href: "/policy?dialog=place",
      when: (me) => hasRole(me, "customer-owner", "customer-admin")
    }
  ]
}
