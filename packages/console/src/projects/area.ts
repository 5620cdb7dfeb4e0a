import { Boxes } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import { hasProject } from "../app/me.ts"

export const projects: Area = {
  title: { en: "Projects", de: "Projekte" },
  icon: Boxes,
  pages: [
    {
      path: "/projects",
      title: { en: "Projects", de: "Projekte" },
      load: () => import("./ProjectsPage.tsx"),
      when: hasProject
    },
    {
      path: "/projects/:project_id",
      title: { en: "Project", de: "Projekt" },
      load: () => import("./ProjectPage.tsx"),
      when: hasProject
    },
    {
      path: "/account",
      title: { en: "Account", de: "Konto" },
      load: () => import("./AccountPage.tsx"),
      when: hasProject,
      keywords: "close organisation"
    }
  ],
  finder: () => import("./project.tsx")
}
