import { type JsonObject, objectAt, objectsAt, parseJson, stringAt } from "../Json.ts"
import { type Answer, empty, json, originOf, type Routes } from "../Wire.ts"
import { type RequestHandler, type Request, lastProxy, linksOf, proxyRead, proxyWrite, until } from "./request.ts"
import { badRequest, fault, misfitQuery, notFound } from "./fault.ts"
import { pageQuery } from "./schemas.ts"
import { callCinder, callGlance, callNeutron, isSuccess, relayError } from "./peers.ts"

// --- networks --------------------------------------------------------------

const networkFields = ["cidr", "netmask", "gateway", "broadcast", "dns1", "dns2", "cidr_v6", "gateway_v6", "netmask_v6"]

const network = (_: JsonObject) => ({
  id: _["id"],
  label: _["name"],
  ...Object.fromEntries(networkFields.map((field) => [field, null]))
})

const tenantNetwork = (_: JsonObject) => ({ id: _["id"], label: _["name"], cidr: "None" })

const networks =
  (view: (network: JsonObject) => object): RequestHandler =>
  (request) =>
    json(200, {
      networks: objectsAt(objectAt(callNeutron(request, "GET", "/v2.0/networks").json)["networks"]).map(view)
    })

const oneNetwork =
  (view: (network: JsonObject) => object): RequestHandler =>
  (request) => {
    const response = callNeutron(request, "GET", `/v2.0/networks/${request.params["id"] ?? ""}`)
    return isSuccess(response)
      ? json(200, { network: view(objectAt(response.json, "network")) })
      : notFound("Network not found")
  }

/** A removed API: 410 at every microversion. */
const gone: RequestHandler = () => fault(410, "This resource is no longer available. No forwarding address is given.")

// --- images ----------------------------------------------------------------

const image = (request: Request, _: JsonObject) => ({
  id: _["id"],
  name: _["name"],
  links: [
    ...linksOf(request, "images", stringAt(_, "id") ?? ""),
    {
      rel: "alternate",
      type: "application/vnd.openstack.image",
      href: `${originOf(request)}/image/images/${stringAt(_, "id")}`
    }
  ]
})

const imageStatuses: Readonly<Record<string, string>> = { active: "ACTIVE", queued: "SAVING", deactivated: "ACTIVE" }

/** Nova reads the texts of two properties (nova/image/glance.py, `_convert_from_string`). */
const propertiesOf = ({ world }: Request, id: string): JsonObject =>
  Object.fromEntries(
    Object.entries(world.glance.images[id]?.properties ?? {}).map(([key, text]) => [
      key,
      key === "block_device_mapping" || key === "mappings" ? parseJson(text) : text
    ])
  )

const imageDetail = (request: Request, _: JsonObject) => ({
  ...image(request, _),
  status: imageStatuses[stringAt(_, "status") ?? ""] ?? "UNKNOWN",
  created: _["created_at"],
  updated: _["updated_at"],
  progress: _["status"] === "active" ? 100 : 25,
  minDisk: _["min_disk"],
  minRam: _["min_ram"],
  "OS-EXT-IMG-SIZE:size": _["size"],
  metadata: {
    ...Object.fromEntries(Object.entries(_).filter(([key, value]) => typeof value === "string" && key.includes("os_"))),
    ...propertiesOf(request, stringAt(_, "id") ?? "")
  }
})

const images =
  (view: (request: Request, image: JsonObject) => object): RequestHandler =>
  (request) =>
    json(200, {
      images: objectsAt(objectAt(callGlance(request, "GET", "/v2/images?limit=1000").json)["images"]).map((_) =>
        view(request, _)
      )
    })

const oneImage =
  (handler: (request: Request, image: JsonObject) => Answer): RequestHandler =>
  (request) => {
    const response = callGlance(request, "GET", `/v2/images/${request.params["id"] ?? ""}`)
    return isSuccess(response) ? handler(request, objectAt(response.json)) : notFound("Image not found.")
  }

const removeImage = oneImage((request, one) => {
  const response = callGlance(request, "DELETE", `/v2/images/${stringAt(one, "id")}`)
  return isSuccess(response) ? empty(204) : fault(response.status, "You are not allowed to delete this image.")
})

// --- volumes ---------------------------------------------------------------

const volume = (_: JsonObject) => ({
  id: _["id"],
  displayName: _["name"],
  displayDescription: _["description"],
  size: _["size"],
  status: _["status"],
  volumeType: _["volume_type"],
  snapshotId: _["snapshot_id"],
  availabilityZone: _["availability_zone"],
  createdAt: _["created_at"],
  metadata: _["metadata"],
  attachments: objectsAt(_, "attachments").map((one) => ({
    id: one["volume_id"],
    volumeId: one["volume_id"],
    serverId: one["server_id"],
    device: one["device"]
  }))
})

const volumesUrl = ({ scope }: Request): string => `/v3/${scope.projectId}/volumes`

/** Nova takes the whole list and cuts the page itself, from 0 and of 1000 at most. */
const volumes: RequestHandler = (request) => {
  const wrong = misfitQuery(pageQuery, request.query)
  if (wrong !== undefined) return wrong
  const [offset, limit] = [Number(request.query.get("offset") ?? 0), Number(request.query.get("limit") ?? 0)]
  const all = objectsAt(objectAt(callCinder(request, "GET", `${volumesUrl(request)}/detail`).json)["volumes"])
  return json(200, { volumes: all.slice(offset, offset + (limit || 1000)).map(volume) })
}

const createVolume: RequestHandler = (request) => {
  const given = objectAt(request.json, "volume")
  if (Object.keys(given).length === 0) return badRequest("Invalid input for field/attribute volume.")
  const response = callCinder(request, "POST", volumesUrl(request), {
    volume: {
      size: given["size"],
      name: given["display_name"],
      description: given["display_description"],
      volume_type: given["volume_type"],
      snapshot_id: given["snapshot_id"],
      availability_zone: given["availability_zone"],
      metadata: given["metadata"]
    }
  })
  return isSuccess(response)
    ? json(200, { volume: volume(objectAt(response.json, "volume")) })
    : relayError(response, { 413: 403 })
}

const oneVolume: RequestHandler = (request) => {
  const response = callCinder(request, "GET", `${volumesUrl(request)}/${request.params["id"] ?? ""}`)
  return isSuccess(response) ? json(200, { volume: volume(objectAt(response.json, "volume")) }) : relayError(response)
}

const removeVolume: RequestHandler = (request) => {
  const response = callCinder(request, "DELETE", `${volumesUrl(request)}/${request.params["id"] ?? ""}`)
  return isSuccess(response) ? empty(202) : relayError(response)
}

/** The deprecated proxies of other services' APIs, for clients with an old microversion. */
export const proxyRoutes: Routes = {
  "GET /v2.1/os-networks": proxyRead(networks(network)),
  "GET /v2.1/os-networks/:id": proxyRead(oneNetwork(network)),
  "POST /v2.1/os-networks": proxyWrite("os-networks", gone),
  "DELETE /v2.1/os-networks/:id": proxyWrite("os-networks", gone),
  "GET /v2.1/os-tenant-networks": proxyRead(networks(tenantNetwork)),
  "GET /v2.1/os-tenant-networks/:id": proxyRead(oneNetwork(tenantNetwork)),
  "POST /v2.1/os-tenant-networks": proxyWrite("os-tenant-networks", gone),
  "DELETE /v2.1/os-tenant-networks/:id": proxyWrite("os-tenant-networks", gone),
  "GET /v2.1/images": proxyRead(images(image)),
  "GET /v2.1/images/detail": proxyRead(images(imageDetail)),
  "GET /v2.1/images/:id": proxyRead(oneImage((request, _) => json(200, { image: imageDetail(request, _) }))),
  "DELETE /v2.1/images/:id": proxyWrite("images:delete", until(lastProxy, removeImage)),
  "GET /v2.1/os-volumes": proxyRead(volumes),
  "GET /v2.1/os-volumes/detail": proxyRead(volumes),
  "POST /v2.1/os-volumes": proxyWrite("os-volumes:create", createVolume),
  "GET /v2.1/os-volumes/:id": proxyRead(oneVolume),
  "DELETE /v2.1/os-volumes/:id": proxyWrite("os-volumes:delete", removeVolume)
}
