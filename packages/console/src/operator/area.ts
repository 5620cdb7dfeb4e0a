import {
  Building2,
  Fingerprint,
  Gauge,
  KeySquare,
  Landmark,
  LayoutDashboard,
  ListChecks,
  Megaphone,
  Plug,
  UserRoundPlus
} from "lucide-react"
import type { Area } from "../app/definitions.ts"

const overviewTitle = { en: "Overview", de: "Übersicht" }
const signupsTitle = { en: "Signups", de: "Anmeldungen" }
const tenantsTitle = { en: "Tenants", de: "Mandanten" }
const onboardingsTitle = { en: "Onboardings", de: "Einrichtungen" }
const accountsTitle = { en: "Accounts", de: "Konten" }
const capacityTitle = { en: "Capacity", de: "Kapazität" }
const upstreamsTitle = { en: "Upstreams", de: "Systeme dahinter" }
const incidentsTitle = { en: "Incidents", de: "Störungen" }
const machinesTitle = { en: "Unused keys", de: "Unbenutzte Schlüssel" }
const issuersTitle = { en: "Workload issuers", de: "Workload-Cluster" }

export const overview: Area = {
  title: overviewTitle,
  icon: LayoutDashboard,
  pages: [
    {
      path: "/",
      title: overviewTitle,
      load: () => import("./overview/OverviewPage.tsx"),
      keywords: "start home platform"
    }
  ]
}

export const signups: Area = {
  title: signupsTitle,
  icon: UserRoundPlus,
  pages: [
    {
      path: "/signups",
      title: signupsTitle,
      load: () => import("./signups/SignupsPage.tsx"),
      keywords: "approve customer request budget"
    },
    { path: "/signups/:signup_id", title: signupsTitle, load: () => import("./signups/SignupPage.tsx") }
  ],
  acts: [{ title: { en: "Signups that wait", de: "Wartende Anmeldungen" }, href: "/signups?state=pending" }],
  finder: () => import("./signups/signup.ts")
}

export const tenants: Area = {
  title: tenantsTitle,
  icon: Building2,
  pages: [
    {
      path: "/tenants",
      title: tenantsTitle,
      load: () => import("./tenants/TenantsPage.tsx"),
      keywords: "customers projects tier suspend"
    },
    {
      path: "/tenants/drift",
      title: { en: "Drift of quotas", de: "Abweichende Quoten" },
      load: () => import("./tenants/DriftPage.tsx"),
      keywords: "repair quota"
    },
    { path: "/tenants/:project_id", title: tenantsTitle, load: () => import("./tenants/TenantPage.tsx") }
  ],
  acts: [{ title: { en: "Create a tenant", de: "Mandanten einrichten" }, href: "/tenants?dialog=create" }],
  finder: () => import("./tenants/tenant.tsx")
}

export const onboardings: Area = {
  title: onboardingsTitle,
  icon: ListChecks,
  pages: [
    {
      path: "/onboardings",
      title: onboardingsTitle,
      load: () => import("./onboardings/OnboardingsPage.tsx"),
      keywords: "journal stuck rollback retry"
    }
  ],
  acts: [{ title: { en: "Stuck onboardings", de: "Hängende Einrichtungen" }, href: "/onboardings?state=stuck" }],
  finder: () => import("./onboardings/find.ts")
}

export const accounts: Area = {
  title: accountsTitle,
  icon: Landmark,
  pages: [
    {
      path: "/accounts",
      title: accountsTitle,
      load: () => import("./accounts/AccountsPage.tsx"),
      keywords: "closing reopen finalize destroy"
    },
    {
      path: "/accounts/deletions",
      title: { en: "Deletions", de: "Löschungen" },
      load: () => import("./accounts/DeletionsPage.tsx"),
      keywords: "purge cancel project"
    }
  ],
  acts: [{ title: { en: "Closing accounts", de: "Konten in der Frist" }, href: "/accounts?state=closing" }],
  finder: () => import("./accounts/account.ts")
}

export const capacity: Area = {
  title: capacityTitle,
  icon: Gauge,
  pages: [
    {
      path: "/capacity",
      title: capacityTitle,
      load: () => import("./capacity/CapacityPage.tsx"),
      keywords: "budget forecast hypervisor sellable"
    },
    {
      path: "/capacity/fleet",
      title: { en: "Fleet", de: "Flotte" },
      load: () => import("./capacity/FleetPage.tsx"),
      keywords: "nodes use"
    }
  ]
}

export const upstreams: Area = {
  title: upstreamsTitle,
  icon: Plug,
  pages: [
    {
      path: "/upstreams",
      title: upstreamsTitle,
      load: () => import("./upstreams/UpstreamsPage.tsx"),
      keywords: "health ready latency errors systems"
    }
  ]
}

export const incidents: Area = {
  title: incidentsTitle,
  icon: Megaphone,
  pages: [
    {
      path: "/incidents",
      title: incidentsTitle,
      load: () => import("./incidents/IncidentsPage.tsx"),
      keywords: "maintenance status notice"
    }
  ],
  acts: [
    {
      title: { en: "Publish an incident or maintenance", de: "Störung oder Wartung veröffentlichen" },
      href: "/incidents?dialog=publish"
    }
  ]
}

export const machines: Area = {
  title: machinesTitle,
  icon: KeySquare,
  pages: [
    {
      path: "/unused-keys",
      title: machinesTitle,
      load: () => import("./machines/UnusedPage.tsx"),
      keywords: "agents credentials revoke 90 days"
    }
  ]
}

export const issuers: Area = {
  title: issuersTitle,
  icon: Fingerprint,
  pages: [
    {
      path: "/workload-issuers",
      title: issuersTitle,
      load: () => import("./issuers/IssuersPage.tsx"),
      keywords: "kubernetes cluster identity oidc"
    }
  ],
  acts: [{ title: { en: "Register a cluster", de: "Cluster eintragen" }, href: "/workload-issuers?dialog=register" }],
  finder: () => import("./issuers/issuer.ts")
}
