import { assert } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Effect } from "effect"
import { ask } from "./ask.ts"

export const v2 = "/network/v2.0"

export interface Tenant {
  readonly projectId: string
  readonly token: string
}

export const as =
  ({ token }: { readonly token: string }) =>
  (method: string, path: string, json?: unknown) =>
    ask(method, `${v2}${path}`, { token, json })

/** One thing of every kind in a tenant's project, by collection. */
export const furnish = Effect.fnUntraced(function* (tenant: Tenant) {
  const call = as(tenant)
  const made = Effect.fnUntraced(function* (collection: string, resource: string, body: object) {
    const answer = yield* call("POST", `/${collection}`, { [resource]: body })
    assert.strictEqual(answer.status, 201, `${collection}: ${answer.body}`)
    return answer.json[resource].id as string
  })
  const network_id = yield* made("networks", "network", { name: "net" })
  const subnet_id = yield* made("subnets", "subnet", { network_id, ip_version: 4, cidr: "10.0.0.0/24" })
  const security_group_id = yield* made("security-groups", "security_group", { name: "web" })
  const rule = { security_group_id, direction: "ingress", protocol: "tcp", port_range_min: 80, port_range_max: 80 }
  return {
    networks: network_id,
    subnets: subnet_id,
    routers: yield* made("routers", "router", {
      external_gateway_info: { network_id: fixtures.externalNetworkId }
    }),
    ports: yield* made("ports", "port", { network_id }),
    floatingips: yield* made("floatingips", "floatingip", { floating_network_id: fixtures.externalNetworkId }),
    "address-groups": yield* made("address-groups", "address_group", { addresses: ["10.0.0.0/8"] }),
    "security-groups": security_group_id,
    "security-group-rules": yield* made("security-group-rules", "security_group_rule", rule)
  }
})

export const singular = (collection: string) => collection.replaceAll("-", "_").slice(0, -1)
