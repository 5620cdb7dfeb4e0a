import { fixtures } from "@portico/simulator/Fixtures"
import { Effect } from "effect"
import { ask, controlToken, login, tenantToken } from "./ask.ts"

export const v2 = "/load-balancer/v2/lbaas"

/** A tenant with a subnet, whose user holds the role that the service wants. */
export const balancedTenant = Effect.fnUntraced(function* (name: string) {
  const tenant = yield* tenantToken(name)
  const admin = yield* controlToken
  const { loadBalancerMember } = fixtures.roles
  const grant = `/identity/v3/projects/${tenant.projectId}/users/${tenant.userId}/roles/${loadBalancerMember}`
  yield* ask("PUT", grant, { token: admin })
  const token = yield* login(`gw-${name}`, "pw", tenant.projectId)
  const network = yield* ask("POST", "/network/v2.0/networks", { token, json: { network: { name } } })
  const network_id: string = network.json.network.id
  const subnet = yield* ask("POST", "/network/v2.0/subnets", {
    token,
    json: { subnet: { network_id, ip_version: 4, cidr: "10.0.0.0/24" } }
  })
  return { projectId: tenant.projectId, token, network_id, subnet_id: subnet.json.subnet.id }
})
