import { Globe, Network, ShieldCheck, Waypoints } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import { hasProject, type Me } from "../app/me.ts"

const networksTitle = { en: "Networks", de: "Netze" }
const floatingTitle = { en: "Floating IPs", de: "Floating IPs" }
const groupsTitle = { en: "Security groups", de: "Sicherheitsgruppen" }
const natTitle = { en: "NAT gateways", de: "NAT-Gateways" }

const mayChange = ({ tier }: Me): boolean => tier >= 1

export const networks: Area = {
  title: networksTitle,
  icon: Network,
  pages: [
    {
      path: "/network/networks",
      title: networksTitle,
      load: () => import("./NetworksPage.tsx"),
      keywords: "subnet vpc neutron subnetz"
    },
    { path: "/network/networks/:network_id", title: networksTitle, load: () => import("./NetworkPage.tsx") }
  ],
  acts: [
    {
      title: { en: "Create a network", de: "Netz erstellen" },
      href: "/network/networks?dialog=create",
      when: mayChange
    }
  ],
  finder: () => import("./find.ts")
}

export const floatingIps: Area = {
  title: floatingTitle,
  icon: Globe,
  pages: [
    {
      path: "/network/floating-ips",
      title: floatingTitle,
      load: () => import("./FloatingIpsPage.tsx"),
      keywords: "public address ip adresse"
    }
  ],
  acts: [
    {
      title: { en: "Allocate a floating IP", de: "Floating IP zuteilen" },
      href: "/network/floating-ips?dialog=allocate",
      when: mayChange
    }
  ]
}

export const securityGroups: Area = {
  title: groupsTitle,
  icon: ShieldCheck,
  pages: [
    {
      path: "/network/security-groups",
      title: groupsTitle,
      load: () => import("./SecurityGroupsPage.tsx"),
      keywords: "firewall rules ports regeln"
    },
    { path: "/network/security-groups/:group_id", title: groupsTitle, load: () => import("./SecurityGroupPage.tsx") }
  ],
  acts: [
    {
      title: { en: "Create a security group", de: "Sicherheitsgruppe erstellen" },
      href: "/network/security-groups?dialog=create",
      when: mayChange
    }
  ]
}

export const natGateways: Area = {
  title: natTitle,
  icon: Waypoints,
  pages: [
    {
      path: "/network/nat-gateways",
      title: natTitle,
      load: () => import("./NatGatewaysPage.tsx"),
      keywords: "router snat internet",
      // The gateway belongs to a tenant's router.
      when: hasProject
    }
  ]
}
