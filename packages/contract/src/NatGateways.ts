import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn, Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"

const gateway = {
  /** `ngw-` and the router's id. */
  ngw_id: Schema.String,
  router_id: Schema.String,
  /** The network of the oldest interface behind the router; null when nothing is attached. */
  network_id: Schema.NullOr(Schema.String),
  /** The tenant's subnets behind it. */
  subnet_ids: Schema.Array(Schema.String),
  /** The external network of the platform. */
  external_network_id: Schema.String,
  /** The source address of outgoing connections: the IPv4 address on the external network, else the IPv6 one. */
  public_ip: Schema.NullOr(Schema.String),
  /** All addresses on the external network. */
  public_ips: Schema.Array(Schema.String)
}

export const NatGateway = Schema.Struct({ ...gateway, state: Schema.Literal("active") }).annotate({
  identifier: "NatGateway"
})
export type NatGateway = typeof NatGateway.Type

/** What remains: the router with its address on the external network. */
export const NatGatewayDeleted = Schema.Struct({ ...gateway, state: Schema.Literal("deleted") }).annotate({
  identifier: "NatGatewayDeleted"
})
export type NatGatewayDeleted = typeof NatGatewayDeleted.Type

export const NatGatewayList = Schema.Struct({
  count: Schema.Int,
  nat_gateways: Schema.Array(NatGateway)
}).annotate({ identifier: "NatGatewayList" })
export type NatGatewayList = typeof NatGatewayList.Type

const ngwId = { ngw_id: Schema.String }

/** Both planes. */
export class NatGateways extends HttpApiGroup.make("nat-gateways")
  .add(
    HttpApiEndpoint.get("list", "/nat-gateways", { success: NatGatewayList, error: failures("upstream_failed") }),
    HttpApiEndpoint.post("create", "/nat-gateways", {
      success: NatGateway.pipe(HttpApiSchema.status(201)),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "router_not_found",
        "tenant_not_found",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("show", "/nat-gateways/:ngw_id", {
      params: ngwId,
      success: NatGateway,
      error: failures("nat_gateway_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.delete("remove", "/nat-gateways/:ngw_id", {
      params: ngwId,
      success: NatGatewayDeleted,
      error: failures(
        "concurrent_change",
        "nat_gateway_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    })
  )
  .annotateEndpoints(ActsOn, "network")
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
