import { Fingerprint } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Workload issuers", de: "Workload-Cluster" }

export const issuers: Area = {
  title,
  icon: Fingerprint,
  pages: [
    {
      path: "/workload-issuers",
      title,
      load: () => import("./IssuersPage.tsx"),
      keywords: "kubernetes cluster identity oidc"
    }
  ],
  acts: [{ title: { en: "Register a cluster", de: "Cluster eintragen" }, href: "/workload-issuers?dialog=register" }],
  finder: () => import("./issuer.ts")
}
