import { Result } from "effect"
import { type Handler, json, type Routes } from "../Wire.ts"
import { addressGroupRoutes, addressGroups } from "./addressGroups.ts"
import { addressScopes } from "./addressScopes.ts"
import { autoAllocationRoutes } from "./autoAllocatedTopology.ts"
import { defaultSecurityGroupRules } from "./defaultSecurityGroupRules.ts"
import { failed, ruleRefused } from "./errors.ts"
import { extensionRoutes } from "./extensions.ts"
import { extraRouteRoutes } from "./extraRoutes.ts"
import { floatingips } from "./floatingIps.ts"
import { interfaceRoutes } from "./interfaces.ts"
import { multihomingRoutes } from "./multihoming.ts"
import { networks } from "./networks.ts"
import { portForwardingRoutes } from "./portForwardings.ts"
import { ports } from "./ports.ts"
import { quotaRoutes } from "./quotas.ts"
import { rbacPolicies } from "./rbacPolicies.ts"
import { call } from "./request.ts"
import { routesOf } from "./resource.ts"
import { routers } from "./routers.ts"
import { securityGroupRules, securityGroups } from "./securityGroups.ts"
import { serviceProviderRoutes } from "./serviceProviders.ts"
import { prefixRoutes, subnetpools } from "./subnetPools.ts"
import { subnets } from "./subnets.ts"
import { subPortRoutes, trunks } from "./trunks.ts"

const suffix = /\.json$/

const withoutSuffix =
  (handler: Handler): Handler =>
  (incoming) =>
    handler({
      ...incoming,
      params: Object.fromEntries(Object.entries(incoming.params).map(([name, _]) => [name, _.replace(suffix, "")]))
    })

/** Upstream also accepts every path with `.json` or a trailing slash. */
const spellings = (routes: Routes): Routes =>
  Object.fromEntries(
    Object.entries(routes).flatMap(([route, handler]) => {
      const last = route.split("/").at(-1) ?? ""
      return last.startsWith(":")
        ? [
            [route, withoutSuffix(handler)],
            [`${route}/`, withoutSuffix(handler)]
          ]
        : [
            [route, handler],
            [`${route}.json`, handler],
            [`${route}/`, handler]
          ]
    })
  )

/** Core collections and reads of tags under an extension's prefix: the attributes are unknown there. */
const brokenRoutes: Routes = Object.fromEntries(
  [
    ...["networks", "ports"].flatMap((_) => [
      ...["GET", "POST"].map((method) => `${method} /v2.0/qos/${_}`),
      ...["GET", "PUT", "DELETE"].map((method) => `${method} /v2.0/qos/${_}/:id`)
    ]),
    ...["tags", "tags/:tag"].map((path) => `GET /v2.0/qos/:collection/:id/${path}`)
  ].map((route) => [route, call(() => failed)])
)

export const neutronRoutes: Routes = spellings({
  ...brokenRoutes,
  ...routesOf(networks),
  ...routesOf(subnets),
  ...routesOf(routers),
  ...routesOf(ports),
  ...routesOf(floatingips),
  ...routesOf(securityGroups),
  ...routesOf(securityGroupRules),
  ...routesOf(addressGroups),
  ...routesOf(trunks),
  ...routesOf(rbacPolicies),
  ...routesOf(addressScopes),
  ...routesOf(subnetpools),
  ...subPortRoutes,
  ...prefixRoutes,
  ...portForwardingRoutes,
  ...routesOf(defaultSecurityGroupRules),
  ...addressGroupRoutes,
  ...interfaceRoutes,
  ...extraRouteRoutes,
  ...multihomingRoutes,
  ...quotaRoutes,
  ...extensionRoutes,
  ...serviceProviderRoutes,
  ...autoAllocationRoutes,
  // Which host serves a tenant's resource is visible to administrators only.
  ...Object.fromEntries(
    ["networks/:id/dhcp-agents", "routers/:id/l3-agents"].map((path) => [
      `GET /v2.0/${path}`,
      call(({ scope }) =>
        scope.admin ? Result.succeed(json(200, { agents: [] })) : ruleRefused(`get_${path.split("/").at(-1) ?? ""}`)
      )
    ])
  ),
  "GET /v2.0/availability_zones": call(() =>
    Result.succeed(
      json(200, {
        availability_zones: ["network", "router"].map((resource) => ({ name: "nova", resource, state: "available" }))
      })
    )
  ),
  // Agents are visible to administrators only.
  "GET /v2.0/agents": call(() => Result.succeed(json(200, { agents: [] })))
})
