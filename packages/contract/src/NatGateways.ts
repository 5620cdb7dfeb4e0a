import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn } from "./Access.ts"
import { described, titled } from "./describe.ts"
import { ceilingCodes, failures, upstreamCodes } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"

const gateway = {
  ngw_id: Schema.String.annotateKey({
    description: "The gateway's id: `ngw-` and the router's id. It stays the same when the gateway is created again."
  }),
  router_id: Schema.String.annotateKey({ description: "The tenant's router, as the network service names it." }),
  network_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The network that was attached to the router first. Null while none is attached."
  }),
  subnet_ids: Schema.Array(Schema.String).annotateKey({
    description: "The tenant's subnets that are attached to the router: their servers reach the internet through it."
  }),
  external_network_id: Schema.String.annotateKey({
    description: "The platform's external network, to which the router has its uplink."
  }),
  public_ip: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The source address of outgoing connections: the router's IPv4 address on the external network, or the IPv6 " +
      "one when there is no IPv4 address. Null when it has none."
  }),
  public_ips: Schema.Array(Schema.String).annotateKey({
    description: "All addresses of the router on the external network."
  })
}

export const NatGateway = Schema.Struct({
  ...gateway,
  state: Schema.Literal("active").annotateKey({ description: "`active`: address translation is on." })
}).annotate({ identifier: "NatGateway", description: "A NAT gateway." })
export type NatGateway = typeof NatGateway.Type

export const NatGatewayDeleted = Schema.Struct({
  ...gateway,
  state: Schema.Literal("deleted").annotateKey({ description: "`deleted`: address translation is off." })
}).annotate({
  identifier: "NatGatewayDeleted",
  description: "The parts that stay after a deletion: the router with its uplink and its addresses."
})
export type NatGatewayDeleted = typeof NatGatewayDeleted.Type

export const NatGatewayList = Schema.Struct({
  count: Schema.Int.annotateKey({ description: "The number of NAT gateways." }),
  nat_gateways: Schema.Array(NatGateway).annotateKey({
    description: "The tenant's NAT gateways, at most one as a rule."
  })
}).annotate({ identifier: "NatGatewayList", description: "The NAT gateways of the tenant." })
export type NatGatewayList = typeof NatGatewayList.Type

const ngwId = {
  ngw_id: Schema.String.annotateKey({ description: "The id of the NAT gateway: `ngw-` and the router's id." })
}

export class NatGateways extends HttpApiGroup.make("nat-gateways")
  .add(
    HttpApiEndpoint.get("list", "/nat-gateways", {
      success: NatGatewayList,
      error: failures("upstream_failed")
    }).annotateMerge(
      described(
        "List NAT gateways",
        "Returns the tenant's NAT gateways as the network service has them now. The list is empty while the tenant " +
          "has no router with an uplink, and while address translation is off."
      )
    ),
    HttpApiEndpoint.post("create", "/nat-gateways", {
      success: NatGateway.pipe(HttpApiSchema.status(201)),
      error: failures(...ceilingCodes, ...upstreamCodes, "router_not_found")
    })
      .annotateMerge(
        described(
          "Create the NAT gateway",
          "Turns address translation on at the tenant's router, which the platform made with the tenant: servers " +
            "without an address of their own reach the internet at once. It takes no body. A gateway that exists is " +
            "returned as it is, so the request may be repeated. The router keeps its uplink and its address. Every " +
            "tier allows one gateway, and a suspended tenant gets no new one. Without a router of the platform's it " +
            "is a 404 (`router_not_found`)."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/nat-gateways/:ngw_id", {
      params: ngwId,
      success: NatGateway,
      error: failures("nat_gateway_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show a NAT gateway",
        "Returns one NAT gateway with its public address and the subnets behind it. It is a 404 while address " +
          "translation is off at its router."
      )
    ),
    HttpApiEndpoint.delete("remove", "/nat-gateways/:ngw_id", {
      params: ngwId,
      success: NatGatewayDeleted,
      error: failures(...upstreamCodes, "concurrent_change", "nat_gateway_not_found")
    }).annotateMerge(
      described(
        "Delete a NAT gateway",
        "Turns address translation off at the router: servers without an address of their own lose their way to the " +
          "internet. The router, its uplink, its address and all floating IPs stay and keep working. `POST " +
          "/v1/nat-gateways` makes the gateway again, with the same id and address. A gateway that is deleted " +
          "already is a 404."
      )
    )
  )
  .annotateEndpoints(ActsOn, ["network"])
  .annotateMerge(
    titled(
      "NAT Gateways",
      "How servers without an address of their own reach the internet. The tenant's router has an uplink to the " +
        "platform's external network, and translates outgoing connections to its own address there (source NAT). A " +
        "NAT gateway is this router with translation on. A new tenant has it from the start."
    )
  )
  .pipe(tenantRoutes) {}
