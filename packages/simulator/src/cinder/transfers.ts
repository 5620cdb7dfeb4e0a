import { randomBytes, randomUUID } from "node:crypto"
import { has, objectAt, stringAt } from "../Json.ts"
import { badRequest, notFound } from "../nova/fault.ts"
import { pageOf } from "../nova/paging.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import { toMicros } from "../times.ts"
import {
  type Request,
  bookmarkBase,
  memberRoute,
  noVolume,
  ofOne,
  volumeBase,
  volumeFor,
  volumeRoute
} from "./request.ts"
import { overQuota } from "./quotas.ts"
import type { Transfer } from "./state.ts"
import { listed } from "./volumes.ts"

const summary = (request: Request, transfer: Transfer) => ({
  id: transfer.id,
  name: transfer.name,
  volume_id: transfer.volume_id,
  links: [
    { rel: "self", href: `${volumeBase(request)}/os-volume-transfer/${transfer.id}` },
    { rel: "bookmark", href: `${bookmarkBase(request)}/os-volume-transfer/${transfer.id}` }
  ]
})

const detail = (request: Request, transfer: Transfer) => ({
  ...summary(request, transfer),
  created_at: toMicros(transfer.created_at)
})

const list =
  (view: (request: Request, transfer: Transfer) => unknown) =>
  (request: Request): Answer => {
    const page = pageOf(request, listed(request, request.world.cinder.transfers))
    return isAnswer(page) ? page : json(200, { transfers: page.items.map((_) => view(request, _)) })
  }

/** Only the answer to the create shows the key. */
const create = (request: Request): Answer => {
  const { json: body, now, scope, world } = request
  if (!has(body, "transfer")) return badRequest("'transfer' is a required property")
  const given = objectAt(body, "transfer")
  const volumeId = stringAt(given, "volume_id")
  if (volumeId === undefined) return badRequest("'volume_id' is a required property")
  const volume = volumeFor(request, scope, volumeId)
  if (volume === undefined) return noVolume(volumeId)
  if (volume.status !== "available") return badRequest("Invalid volume: status must be available")
  const transfer: Transfer = {
    id: randomUUID(),
    project_id: volume.project_id,
    volume_id: volume.id,
    name: stringAt(given, "name") ?? null,
    status: "available",
    auth_key: randomBytes(8).toString("hex"),
    created_at: now
  }
  volume.status = "awaiting-transfer"
  world.cinder.transfers[transfer.id] = transfer
  return json(202, { transfer: { ...detail(request, transfer), auth_key: transfer.auth_key } })
}

const noTransfer = (id: string) => notFound(`Transfer ${id} could not be found.`)

const ofOwn = ofOne((_) => _.transfers, noTransfer)

/**
 * Accepts a transfer: the caller needs its id and key. The volume and its snapshots move to the caller's project
 * and count against its quota.
 */
const accept = (request: Request): Answer => {
  const { json: body, params, scope, world } = request
  const transfer = world.cinder.transfers[params["id"] ?? ""]
  if (!has(body, "accept")) return badRequest("'accept' is a required property")
  const key = stringAt(objectAt(body, "accept"), "auth_key")
  if (key === undefined) return badRequest("'auth_key' is a required property")
  const volume = transfer === undefined ? undefined : world.cinder.volumes[transfer.volume_id]
  if (transfer === undefined || volume === undefined) return noTransfer(params["id"] ?? "")
  if (key !== transfer.auth_key) {
    return badRequest(`Invalid auth key: Attempt to transfer ${transfer.id} with invalid auth key.`)
  }
  const snapshots = Object.values(world.cinder.snapshots).filter((_) => _.volume_id === volume.id)
  const gigabytes = volume.size + snapshots.reduce((sum, _) => sum + _.size, 0)
  const wanted = { volumes: 1, gigabytes, snapshots: snapshots.length }
  const refused = overQuota(world, scope.projectId, wanted, volume.volume_type)
  if (refused !== undefined) return refused
  for (const thing of [volume, ...snapshots]) {
    thing.project_id = scope.projectId
    thing.user_id = scope.userId
  }
  volume.status = "available"
  delete world.cinder.transfers[transfer.id]
  return json(202, { transfer: summary(request, transfer) })
}

const remove = ofOwn(({ world }, transfer) => {
  const volume = world.cinder.volumes[transfer.volume_id]
  if (volume?.status === "awaiting-transfer") volume.status = "available"
  delete world.cinder.transfers[transfer.id]
  return empty(202)
})

const routesAt = (url: string): Routes => ({
  [`GET ${url}`]: volumeRoute(list(summary)),
  [`GET ${url}/detail`]: volumeRoute(list(detail)),
  [`GET ${url}/:id`]: volumeRoute(ofOwn((request, _) => json(200, { transfer: detail(request, _) }))),
  [`POST ${url}`]: memberRoute("volume:create_transfer", create),
  [`POST ${url}/:id/accept`]: memberRoute("volume:accept_transfer", accept),
  [`DELETE ${url}/:id`]: memberRoute("volume:delete_transfer", remove)
})

/** Volume transfers under the older path and the newer one. */
export const transferRoutes: Routes = {
  ...routesAt("/v3/:project/os-volume-transfer"),
  ...routesAt("/v3/:project/volume-transfers")
}
