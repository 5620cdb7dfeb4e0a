import { Building2 } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Tenants", de: "Mandanten" }

export const tenants: Area = {
  title,
  icon: Building2,
  pages: [
    { path: "/tenants", title, load: () => import("./TenantsPage.tsx"), keywords: "customers projects tier suspend" },
    {
      path: "/tenants/drift",
      title: { en: "Drift of quotas", de: "Abweichende Quoten" },
      load: () => import("./DriftPage.tsx"),
      keywords: "repair quota"
    },
    { path: "/tenants/:project_id", title, load: () => import("./TenantPage.tsx") }
  ],
  acts: [{ title: { en: "Create a tenant", de: "Mandanten einrichten" }, href: "/tenants?dialog=create" }],
  finder: () => import("./tenant.tsx")
}
