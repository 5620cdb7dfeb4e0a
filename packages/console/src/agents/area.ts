import { Bot } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import { hasProject } from "../app/me.ts"

export const agents: Area = {
  title: { en: "Agents", de: "Agenten" },
  icon: Bot,
  pages: [
    {
      path: "/agents",
      title: { en: "Agents", de: "Agenten" },
      load: () => import("./AgentsPage.tsx"),
      keywords: "mcp ai ki"
    },
    {
      path: "/agents/policy",
      title: { en: "Policy", de: "Richtlinie" },
      load: () => import("./PolicyPage.tsx"),
      when: hasProject
    },
    {
      path: "/agents/connect",
      title: { en: "Connect", de: "Verbinden" },
      load: () => import("./ConnectPage.tsx"),
      keywords: "mcp"
    },
    { path: "/agents/of/:credential_id", title: { en: "Agent", de: "Agent" }, load: () => import("./AgentPage.tsx") }
  ],
  acts: [
    {
      title: { en: "Mint an agent's credential", de: "Agenten ausstatten" },
      href: "/agents?dialog=mint",
      when: hasProject
    },
    {
      title: { en: "End all agents", de: "Alle Agenten beenden" },
      href: "/agents?dialog=end",
      when: (me) => hasProject(me) && me.roles.includes("customer-owner")
    }
  ]
}
