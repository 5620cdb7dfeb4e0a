import { fixtures } from "../../../Fixtures.ts"
import type { Operator } from "../Operator.ts"

export const gateways = "gateways.gateway.networking.k8s.io"
export const gatewayClasses = "gatewayclasses.gateway.networking.k8s.io"
export const httpRoutes = "httproutes.gateway.networking.k8s.io"
export const referenceGrants = "referencegrants.gateway.networking.k8s.io"

export const controllerName = "gateway.envoyproxy.io/gatewayclass-controller"

export const edge: Operator = {
  component: "envoy-gateway",
  manager: "envoy-gateway",
  account: "system:serviceaccount:envoy-gateway-system:envoy-gateway"
}

export const publicGateway = fixtures.edge
