import { type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type RequestHandler, type Request, proxyRead, proxyWrite } from "./request.ts"
import { fault, notFound } from "./fault.ts"
import { callNeutron, isSuccess, relayError } from "./peers.ts"

/** The pools are the external networks. */
const pools = (request: Request): ReadonlyArray<JsonObject> =>
  objectsAt(objectAt(callNeutron(request, "GET", "/v2.0/networks?router:external=true").json)["networks"])

const view = (request: Request, floating: JsonObject) => ({
  id: floating["id"],
  ip: floating["floating_ip_address"],
  pool: pools(request).find((_) => _["id"] === floating["floating_network_id"])?.["name"] ?? null,
  fixed_ip: floating["fixed_ip_address"],
  instance_id: stringAt(objectAt(floating, "port_details"), "device_id") ?? null
})

const ofOne =
  (handler: (request: Request, floating: JsonObject) => Answer): RequestHandler =>
  (request) => {
    const id = request.params["id"] ?? ""
    const response = callNeutron(request, "GET", `/v2.0/floatingips/${id}`)
    return isSuccess(response)
      ? handler(request, objectAt(response.json, "floatingip"))
      : notFound(`Floating IP not found for ID ${id}`)
  }

/** The pool of a request without a pool, whether or not it exists. */
const defaultPool = "nova"

const create: RequestHandler = (request) => {
  const named = stringAt(objectAt(request.json), "pool")
  const wanted = named ?? defaultPool
  const pool = pools(request).find((_) => _["name"] === wanted || _["id"] === wanted)
  if (pool === undefined) return notFound("Floating IP pool not found.")
  const floatingip = { floating_network_id: pool["id"] }
  const response = callNeutron(request, "POST", "/v2.0/floatingips", { floatingip })
  if (isSuccess(response)) return json(200, { floating_ip: view(request, objectAt(response.json, "floatingip")) })
  const where = named === undefined ? "" : ` in pool ${named}`
  const type = stringAt(objectAt(response.json, "NeutronError"), "type")
  if (type === "OverQuota") return fault(403, `IP allocation over quota${where}.`)
  return type === "IpAddressGenerationFailure"
    ? notFound(named === undefined ? "No more floating IPs available." : `No more floating IPs${where}.`)
    : relayError(response)
}

const remove = ofOne((request, floating) => {
  const response = callNeutron(request, "DELETE", `/v2.0/floatingips/${stringAt(floating, "id")}`)
  return isSuccess(response) ? empty(202) : relayError(response)
})

const index: RequestHandler = (request) => {
  const response = callNeutron(request, "GET", `/v2.0/floatingips?tenant_id=${request.scope.projectId}`)
  return json(200, { floating_ips: objectsAt(response.json, "floatingips").map((_) => view(request, _)) })
}

/** The deprecated proxy of Neutron's floating IPs; its addresses are billed like the others. */
export const floatingIpRoutes: Routes = {
  "GET /v2.1/os-floating-ips": proxyRead(index),
  "POST /v2.1/os-floating-ips": proxyWrite("os-floating-ips:create", create),
  "GET /v2.1/os-floating-ips/:id": proxyRead(ofOne((request, _) => json(200, { floating_ip: view(request, _) }))),
  "DELETE /v2.1/os-floating-ips/:id": proxyWrite("os-floating-ips:delete", remove),
  "GET /v2.1/os-floating-ip-pools": proxyRead((request) =>
    json(200, { floating_ip_pools: pools(request).map((_) => ({ name: _["name"] ?? _["id"] })) })
  )
}
