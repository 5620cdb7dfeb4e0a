import { randomUUID } from "node:crypto"
import { volumeFor } from "../cinder/request.ts"
import { type Volume, volumeDelay } from "../cinder/state.ts"
import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import type { World } from "../World.ts"
import { type Request, computeRoute, lockedFor, memberRoute, ofServer, wrongState } from "./request.ts"
import { badRequest, notFound } from "./fault.ts"
import type { Server } from "./state.ts"

/** The volumes of a server, in the order of their devices. Cinder keeps the record. */
export const volumesOf = ({ cinder }: World, server: Server): ReadonlyArray<Volume> =>
  Object.values(cinder.volumes)
    .filter((_) => _.attachment?.server_id === server.id)
    .toSorted((a, b) => (deviceOf(a) < deviceOf(b) ? -1 : 1))

const rootDevice = "/dev/vda"

/** Whether a server boots from a volume: one of its own choice, or one that its image brings. */
export const bootsFromVolume = (world: World, server: Server): boolean =>
  volumesOf(world, server).some((_) => deviceOf(_) === rootDevice)

const deviceOf = (volume: Volume): string => volume.attachment?.device ?? ""

/** The first free device letter. A server that boots from an image uses vda. */
const freeDevice = (world: World, server: Server): string => {
  const taken = volumesOf(world, server).map(deviceOf)
  const letters = server.image_id === null ? "abcdefghijklmnopqrstuvwxyz" : "bcdefghijklmnopqrstuvwxyz"
  return `/dev/vd${[...letters].find((_) => !taken.includes(`/dev/vd${_}`)) ?? "z"}`
}

interface Attaching {
  readonly device?: string | undefined
  readonly deleteOnTermination: boolean
}

/** Reserves the volume for the server; the volume is in use a moment later. */
export const attach = (
  { now, world }: Pick<Request, "now" | "world">,
  server: Server,
  volume: Volume,
  { deleteOnTermination, device }: Attaching
): string => {
  const path = device ?? freeDevice(world, server)
  volume.attachment = {
    id: randomUUID(),
    server_id: server.id,
    device: path,
    attached_at: now,
    delete_on_termination: deleteOnTermination
  }
  volume.status = "reserved"
  volume.due = { at: now + volumeDelay, status: "in-use" }
  return path
}

/**
 * Deleting a server deletes its attachments, and the volumes with `delete_on_termination` unless they have
 * snapshots.
 */
export const release = (world: World, server: Server, at: number): void => {
  for (const volume of volumesOf(world, server)) {
    const held = Object.values(world.cinder.snapshots).some((_) => _.volume_id === volume.id)
    const gone = volume.attachment?.delete_on_termination === true && !held
    volume.due = { at, status: gone ? "deleted" : "available" }
  }
}

const show = ({ minor }: Request, volume: Volume) => ({
  ...(minor < 89 ? { id: volume.id } : {}),
  volumeId: volume.id,
  serverId: volume.attachment?.server_id,
  device: volume.attachment?.device,
  ...(minor < 70 ? {} : { tag: null }),
  ...(minor < 79 ? {} : { delete_on_termination: volume.attachment?.delete_on_termination }),
  ...(minor < 89 ? {} : { attachment_id: volume.attachment?.id, bdm_uuid: volume.attachment?.id })
})

const list = ofServer((request, server) =>
  json(200, { volumeAttachments: volumesOf(request.world, server).map((_) => show(request, _)) })
)

const attachable = ["active", "paused", "stopped", "resized", "shelved", "shelved_offloaded"]

const create = ofServer((request, server) => {
  const { json: body, minor, scope } = request
  if (!has(body, "volumeAttachment")) return badRequest("'volumeAttachment' is a required property")
  const given = objectAt(body, "volumeAttachment")
  const id = stringAt(given, "volumeId")
  if (id === undefined) return badRequest("'volumeId' is a required property")
  const refused = lockedFor(request, server) ?? wrongState("attach_volume", server, attachable)
  if (refused !== undefined) return refused
  const volume = volumeFor(request, scope, id)
  if (volume === undefined) return notFound(`Volume ${id} could not be found.`)
  if (volume.status !== "available") {
    return badRequest(`Invalid volume: volume '${id}' status must be 'available'. Currently in '${volume.status}'`)
  }
  const wanted = { deleteOnTermination: booleanAt(given, "delete_on_termination") ?? false }
  const device = attach(request, server, volume, { ...wanted, device: stringAt(given, "device") })
  // The attachment is asynchronous at every microversion; the status says so from 2.101 on.
  if (minor >= 101) return empty(202)
  const { id: _, ...rest } = show({ ...request, minor: Math.min(minor, 88) }, volume)
  return json(200, { volumeAttachment: { id, ...rest, device } })
})

const ofAttachment = (handler: (request: Request, server: Server, volume: Volume) => Answer) =>
  ofServer((request, server) => {
    const id = request.params["volume"] ?? ""
    const volume = volumesOf(request.world, server).find((_) => _.id === id)
    if (volume !== undefined) return handler(request, server, volume)
    return volumeFor(request, request.scope, id) === undefined
      ? notFound(`Volume ${id} could not be found.`)
      : notFound(`Instance ${server.id} is not attached to volume ${id}`)
  })

const remove = ofAttachment((request, server, volume) => {
  const refused = lockedFor(request, server) ?? wrongState("detach_volume", server, attachable)
  if (refused !== undefined) return refused
  if (deviceOf(volume) === rootDevice) {
    return badRequest("Cannot detach a root device volume")
  }
  if (volume.status !== "in-use") {
    return badRequest(
      "Invalid volume: Invalid input received: Invalid volume: Unable to detach volume. Volume status must be " +
        `'in-use' and attach_status must be 'attached' to detach.`
    )
  }
  volume.status = "detaching"
  volume.due = { at: request.now + volumeDelay, status: "available" }
  return empty(202)
})

export const attachmentRoutes: Routes = {
  "GET /v2.1/servers/:id/os-volume_attachments": computeRoute(list),
  "POST /v2.1/servers/:id/os-volume_attachments": memberRoute("os-volumes-attachments:create", create),
  "GET /v2.1/servers/:id/os-volume_attachments/:volume": computeRoute(
    ofAttachment((request, _, volume) => json(200, { volumeAttachment: show(request, volume) }))
  ),
  "DELETE /v2.1/servers/:id/os-volume_attachments/:volume": memberRoute("os-volumes-attachments:delete", remove)
}
