import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import type { Answering, Asked } from "./asked.ts"
import { fault, notFound } from "./fault.ts"
import { askNeutron, isGood, passedOn } from "./peers.ts"
import { proxyRead, proxyWrite } from "./proxied.ts"

type Shown = ReturnType<typeof objectAt>

const list = (value: unknown): ReadonlyArray<Shown> => (Array.isArray(value) ? value.map((_) => objectAt(_)) : [])

/** The pools are the external networks. */
const pools = (asked: Asked): ReadonlyArray<Shown> =>
  list(objectAt(askNeutron(asked, "GET", "/v2.0/networks?router:external=true").json)["networks"])

const view = (asked: Asked, floating: Shown) => ({
  id: floating["id"],
  ip: floating["floating_ip_address"],
  pool: pools(asked).find((_) => _["id"] === floating["floating_network_id"])?.["name"] ?? null,
  fixed_ip: floating["fixed_ip_address"],
  instance_id: stringAt(objectAt(floating, "port_details"), "device_id") ?? null
})

const ofOne =
  (handler: (asked: Asked, floating: Shown) => Answer): Answering =>
  (asked) => {
    const id = asked.params["id"] ?? ""
    const told = askNeutron(asked, "GET", `/v2.0/floatingips/${id}`)
    return isGood(told)
      ? handler(asked, objectAt(told.json, "floatingip"))
      : notFound(`Floating IP not found for ID ${id}`)
  }

/** The pool that is taken when the client names none, whether or not there is one of that name. */
const defaultPool = "nova"

const create: Answering = (asked) => {
  const named = stringAt(objectAt(asked.json), "pool")
  const wanted = named ?? defaultPool
  const pool = pools(asked).find((_) => _["name"] === wanted || _["id"] === wanted)
  if (pool === undefined) return notFound("Floating IP pool not found.")
  const floatingip = { floating_network_id: pool["id"] }
  const told = askNeutron(asked, "POST", "/v2.0/floatingips", { floatingip })
  if (isGood(told)) return json(200, { floating_ip: view(asked, objectAt(told.json, "floatingip")) })
  const where = named === undefined ? "" : ` in pool ${named}`
  const type = stringAt(objectAt(told.json, "NeutronError"), "type")
  if (type === "OverQuota") return fault(403, `IP allocation over quota${where}.`)
  return type === "IpAddressGenerationFailure"
    ? notFound(named === undefined ? "No more floating IPs available." : `No more floating IPs${where}.`)
    : passedOn(told)
}

const remove = ofOne((asked, floating) => {
  const told = askNeutron(asked, "DELETE", `/v2.0/floatingips/${stringAt(floating, "id")}`)
  return isGood(told) ? empty(202) : passedOn(told)
})

const index: Answering = (asked) => {
  const told = askNeutron(asked, "GET", `/v2.0/floatingips?tenant_id=${asked.scope.projectId}`)
  return json(200, { floating_ips: list(objectAt(told.json)["floatingips"]).map((_) => view(asked, _)) })
}

/** An older way to Neutron's floating IPs: they are as billable from here. */
export const floatingIpRoutes: Routes = {
  "GET /v2.1/os-floating-ips": proxyRead(index),
  "POST /v2.1/os-floating-ips": proxyWrite("os-floating-ips:create", create),
  "GET /v2.1/os-floating-ips/:id": proxyRead(ofOne((asked, _) => json(200, { floating_ip: view(asked, _) }))),
  "DELETE /v2.1/os-floating-ips/:id": proxyWrite("os-floating-ips:delete", remove),
  "GET /v2.1/os-floating-ip-pools": proxyRead((asked) =>
    json(200, { floating_ip_pools: pools(asked).map((_) => ({ name: _["name"] ?? _["id"] })) })
  )
}
