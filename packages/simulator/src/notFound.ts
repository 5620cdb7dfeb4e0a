import { webob } from "./glance/request.ts"
import { scopeOf, unauthorized } from "./keystone/scope.ts"
import { requestIdHere } from "./requestIds.ts"
import { type Answer, type Call, empty, json, type ServiceName } from "./Wire.ts"
import type { World } from "./World.ts"

const resource = "The resource could not be found."

/** The 404 for a path without a route: most services check the token first, and each has its own envelope. */
const notFoundAnswers: Readonly<Partial<Record<ServiceName, (call: Call) => Answer>>> = {
  nova: (_) => webob(_, 404, resource),
  cinder: (_) => webob(_, 404, resource),
  glance: (_) => webob(_, 404, resource),
  neutron: () => json(404, { NeutronError: { type: "HTTPNotFound", message: resource, detail: "" } }),
  octavia: () => json(404, { code: 404, title: "Not Found", description: "" }),
  barbican: () => json(404, { code: 404, title: "Not Found", description: "" }, versioned),
  designate: () =>
    json(404, { code: 404, type: "not_found", message: "resource not found", request_id: requestIdHere }),
  rgw: () => json(405, { Code: "MethodNotAllowed", ...requested })
}

const versioned = { "openstack-api-version": "key-manager 1.0" }

const requested = {
  RequestId: "tx000000000000000000001-0000000001-1001-default",
  HostId: "1001-default-default"
}

export const notRouted = (call: Call, world: World, now: number): Answer => {
  const answer = notFoundAnswers[call.service]
  if (answer === undefined) return empty(404)
  const known = call.service === "rgw" || scopeOf({ world, now }, call.headers["x-auth-token"]) !== undefined
  return known ? answer(call) : unauthorized()
}
