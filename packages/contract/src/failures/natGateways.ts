import type { Resource } from "./Resource.ts"

/** Failures of NAT gateways. */
export const natGateways = {
  NotFound: {
    natGateway: {
      code: "nat_gateway_not_found",
      detail: (id: string) => `NAT gateway '${id}' not found`,
      example: ["ngw-1"],
      cause: "No such NAT gateway exists, SNAT is off at its router, or it belongs to another tenant.",
      fix: "Take an id from GET /v1/nat-gateways. POST /v1/nat-gateways makes a deleted one again."
    },
    /** The caller's own. */
    router: {
      code: "router_not_found",
      detail: "The tenant has no router that could be a NAT gateway",
      cause:
        "The router that the tenant got at its onboarding no longer exists, and the tenant's own routers cannot " +
        "lead outside.",
      fix: "Ask an operator to make the tenant's router again."
    }
  }
} as const satisfies Resource
