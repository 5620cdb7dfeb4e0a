import { Database } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import { hasProject } from "../app/me.ts"

export const databases: Area = {
  title: { en: "Databases", de: "Datenbanken" },
  icon: Database,
  pages: [
    {
      path: "/databases",
      title: { en: "Databases", de: "Datenbanken" },
      load: () => import("./DatabasesPage.tsx"),
      when: hasProject,
      keywords: "postgres postgresql kafka sql backup restore"
    },
    {
      path: "/databases/:engine/:name",
      title: { en: "Database", de: "Datenbank" },
      load: () => import("./DatabasePage.tsx"),
      when: hasProject
    }
  ],
  acts: [
    {
      title: { en: "Create a database", de: "Datenbank erstellen" },
      href: "/databases?dialog=create",
      when: (me) => hasProject(me) && me.tier >= 1
    }
  ],
  finder: () => import("./database.tsx")
}
