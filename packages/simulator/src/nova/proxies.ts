import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type Answering, type Asked, linksOf } from "./asked.ts"
import { badRequest, fault, notFound } from "./fault.ts"
import { askCinder, askGlance, askNeutron, isGood, passedOn } from "./peers.ts"
import { lastProxy, proxyRead, proxyWrite, until } from "./proxied.ts"

type Shown = ReturnType<typeof objectAt>

const list = (value: unknown): ReadonlyArray<Shown> => (Array.isArray(value) ? value.map((_) => objectAt(_)) : [])

// --- networks --------------------------------------------------------------

const networkFields = ["cidr", "netmask", "gateway", "broadcast", "dns1", "dns2", "cidr_v6", "gateway_v6", "netmask_v6"]

const network = (_: Shown) => ({
  id: _["id"],
  label: _["name"],
  ...Object.fromEntries(networkFields.map((field) => [field, null]))
})

const tenantNetwork = (_: Shown) => ({ id: _["id"], label: _["name"], cidr: "None" })

const networks =
  (view: (network: Shown) => object): Answering =>
  (asked) =>
    json(200, { networks: list(objectAt(askNeutron(asked, "GET", "/v2.0/networks").json)["networks"]).map(view) })

const oneNetwork =
  (view: (network: Shown) => object): Answering =>
  (asked) => {
    const told = askNeutron(asked, "GET", `/v2.0/networks/${asked.params["id"] ?? ""}`)
    return isGood(told) ? json(200, { network: view(objectAt(told.json, "network")) }) : notFound("Network not found")
  }

/** What was taken out of the code answers that it is gone, at every microversion. */
const gone: Answering = () => fault(410, "This resource is no longer available. No forwarding address is given.")

// --- images ----------------------------------------------------------------

const image = (asked: Asked, _: Shown) => ({
  id: _["id"],
  name: _["name"],
  links: [
    ...linksOf(asked, "images", stringAt(_, "id") ?? ""),
    {
      rel: "alternate",
      type: "application/vnd.openstack.image",
      href: `http://${asked.headers["host"] ?? "localhost"}/image/images/${stringAt(_, "id")}`
    }
  ]
})

const imageStatuses: Readonly<Record<string, string>> = { active: "ACTIVE", queued: "SAVING", deactivated: "ACTIVE" }

const imageDetail = (asked: Asked, _: Shown) => ({
  ...image(asked, _),
  status: imageStatuses[stringAt(_, "status") ?? ""] ?? "UNKNOWN",
  created: _["created_at"],
  updated: _["updated_at"],
  progress: _["status"] === "active" ? 100 : 25,
  minDisk: _["min_disk"],
  minRam: _["min_ram"],
  "OS-EXT-IMG-SIZE:size": _["size"],
  metadata: Object.fromEntries(
    Object.entries(_).filter(([key, value]) => typeof value === "string" && key.includes("os_"))
  )
})

const images =
  (view: (asked: Asked, image: Shown) => object): Answering =>
  (asked) =>
    json(200, {
      images: list(objectAt(askGlance(asked, "GET", "/v2/images?limit=1000").json)["images"]).map((_) => view(asked, _))
    })

const oneImage =
  (handler: (asked: Asked, image: Shown) => Answer): Answering =>
  (asked) => {
    const told = askGlance(asked, "GET", `/v2/images/${asked.params["id"] ?? ""}`)
    return isGood(told) ? handler(asked, objectAt(told.json)) : notFound("Image not found.")
  }

const removeImage = oneImage((asked, one) => {
  const told = askGlance(asked, "DELETE", `/v2/images/${stringAt(one, "id")}`)
  return isGood(told) ? empty(204) : fault(told.status, "You are not allowed to delete this image.")
})

// --- volumes ---------------------------------------------------------------

const volume = (_: Shown) => ({
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
  attachments: list(_["attachments"]).map((one) => ({
    id: one["volume_id"],
    volumeId: one["volume_id"],
    serverId: one["server_id"],
    device: one["device"]
  }))
})

const volumesUrl = ({ scope }: Asked): string => `/v3/${scope.projectId}/volumes`

const volumes: Answering = (asked) =>
  json(200, {
    volumes: list(objectAt(askCinder(asked, "GET", `${volumesUrl(asked)}/detail`).json)["volumes"]).map(volume)
  })

const createVolume: Answering = (asked) => {
  const given = objectAt(asked.json, "volume")
  if (Object.keys(given).length === 0) return badRequest("Invalid input for field/attribute volume.")
  const told = askCinder(asked, "POST", volumesUrl(asked), {
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
  return isGood(told) ? json(200, { volume: volume(objectAt(told.json, "volume")) }) : passedOn(told, { 413: 403 })
}

const oneVolume: Answering = (asked) => {
  const told = askCinder(asked, "GET", `${volumesUrl(asked)}/${asked.params["id"] ?? ""}`)
  return isGood(told) ? json(200, { volume: volume(objectAt(told.json, "volume")) }) : passedOn(told)
}

const removeVolume: Answering = (asked) => {
  const told = askCinder(asked, "DELETE", `${volumesUrl(asked)}/${asked.params["id"] ?? ""}`)
  return isGood(told) ? empty(202) : passedOn(told)
}

/** What Nova once did for its neighbours, and still passes on to them for those who ask for an old microversion. */
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
  "GET /v2.1/images/:id": proxyRead(oneImage((asked, _) => json(200, { image: imageDetail(asked, _) }))),
  "DELETE /v2.1/images/:id": proxyWrite("images:delete", until(lastProxy, removeImage)),
  "GET /v2.1/os-volumes": proxyRead(volumes),
  "GET /v2.1/os-volumes/detail": proxyRead(volumes),
  "POST /v2.1/os-volumes": proxyWrite("os-volumes:create", createVolume),
  "GET /v2.1/os-volumes/:id": proxyRead(oneVolume),
  "DELETE /v2.1/os-volumes/:id": proxyWrite("os-volumes:delete", removeVolume)
}
