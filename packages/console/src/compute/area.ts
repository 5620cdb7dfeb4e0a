import { Server } from "lucide-react"
import type { Area } from "../app/definitions.ts"

const title = { en: "Servers", de: "Server" }

export const compute: Area = {
  title,
  icon: Server,
  pages: [
    {
      path: "/compute/servers",
      title,
      load: () => import("./ServersPage.tsx"),
      keywords: "instance vm virtual machine compute instanz nova"
    },
    { path: "/compute/servers/:server_id", title, load: () => import("./ServerPage.tsx") },
    { path: "/compute/servers/:server_id/log", title, load: () => import("./ServerLogPage.tsx") },
    { path: "/compute/servers/:server_id/metrics", title, load: () => import("./ServerMetricsPage.tsx") },
    {
      path: "/compute/key-pairs",
      title: { en: "Key pairs", de: "Schlüsselpaare" },
      load: () => import("./KeyPairsPage.tsx"),
      keywords: "ssh public key"
    }
  ],
  acts: [
    {
      title: { en: "Create a server", de: "Server erstellen" },
      href: "/compute/servers?dialog=create",
      when: ({ tier }) => tier >= 1
    },
    {
      title: { en: "Import a public key", de: "Öffentlichen Schlüssel importieren" },
      href: "/compute/key-pairs?dialog=import",
      when: ({ tier }) => tier >= 1
    }
  ],
  finder: () => import("./find.ts")
}
