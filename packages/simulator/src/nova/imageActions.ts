import { randomUUID } from "node:crypto"
import { contentOf, type Image, imageFor, newImage } from "../glance/state.ts"
import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, originOf } from "../Wire.ts"
import { bootsFromVolume, volumesOf } from "./attachments.ts"
import { attributesOf } from "./attributes.ts"
import { type Request, lockedFor, wrongState } from "./request.ts"
import { badRequest } from "./fault.ts"
import { callCinder, isSuccess, relayError } from "./peers.ts"
import type { Server } from "./state.ts"
import { type Action, begin, change } from "./tasks.ts"
import { showChanged } from "./view.ts"

const texts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectAt(value)).flatMap(([key, _]) => (typeof _ === "string" ? [[key, _] as const] : []))
  )

/** Stores the server's disk as an image of the server's project; the image is active at once. */
const imageOf = (
  { now, scope, world }: Request,
  server: Server,
  name: string,
  properties: Image["properties"]
): Image => {
  const base = server.image_id === null ? undefined : world.glance.images[server.image_id]
  const image = newImage(
    {
      id: randomUUID(),
      owner: scope.projectId,
      name,
      status: "active",
      visibility: "private",
      disk_format: base?.disk_format ?? "qcow2",
      container_format: base?.container_format ?? "bare",
      min_disk: world.nova.flavors[server.flavor_id]?.disk ?? 0,
      min_ram: base?.min_ram ?? 0,
      properties: { image_type: "snapshot", instance_uuid: server.id, ...properties },
      size: base?.size ?? 0,
      checksum: base?.checksum ?? null,
      os_hash_value: base?.os_hash_value ?? null,
      data: base?.data ?? null
    },
    now
  )
  world.glance.images[image.id] = image
  return image
}

/** The image's id: in a header, from microversion 2.45 in the body. */
const made = (request: Request, image: Image): Answer =>
  request.minor < 45
    ? empty(202, { location: `${originOf(request)}/image/v2/images/${image.id}` })
    : json(202, { image_id: image.id })

const createImage: Action = (request, server, value) => {
  const name = String(objectAt(value)["name"])
  const refused =
    lockedFor(request, server) ?? wrongState("createImage", server, ["active", "stopped", "paused", "suspended"])
  if (refused !== undefined) return refused
  const given = texts(objectAt(value)["metadata"])
  if (!bootsFromVolume(request.world, server)) return made(request, imageOf(request, server, name, given))
  const mapping = snapshotsOf(request, server, name)
  if (typeof mapping !== "string") return mapping
  const image = imageOf(request, server, name, { ...given, bdm_v2: "True", block_device_mapping: mapping })
  Object.assign(image, { disk_format: "qcow2", container_format: "bare", ...contentOf(new Uint8Array()) })
  return made(request, image)
}

/**
 * Of a server that boots from a volume the image holds nothing: it names a snapshot of each of the server's volumes, from
 * which Nova fills new volumes for servers that are made from it (nova/compute/api.py, `snapshot_volume_backed`).
 */
const snapshotsOf = (request: Request, server: Server, name: string): string | Answer => {
  const mapping: Array<object> = []
  for (const { attachment, id, size } of volumesOf(request.world, server)) {
    const snapshot = { volume_id: id, name: `snapshot for ${name}`, force: true }
    const made = callCinder(request, "POST", `/v3/${request.scope.projectId}/snapshots`, { snapshot })
    if (!isSuccess(made)) return relayError(made, { 413: 403 })
    mapping.push({
      source_type: "snapshot",
      destination_type: "volume",
      snapshot_id: objectAt(made.json, "snapshot")["id"],
      volume_id: null,
      image_id: null,
      volume_size: size,
      device_name: attachment?.device,
      boot_index: mapping.length === 0 ? 0 : null,
      delete_on_termination: attachment?.delete_on_termination,
      no_device: null
    })
  }
  return JSON.stringify(mapping)
}

/** Keeps this many backups of one type and deletes the oldest ones. */
const createBackup: Action = (request, server, value) => {
  const given = objectAt(value)
  const [name, type, rotation] = [String(given["name"]), String(given["backup_type"]), Number(given["rotation"])]
  const refused =
    lockedFor(request, server) ?? wrongState("createBackup", server, ["active", "stopped", "paused", "suspended"])
  if (refused !== undefined) return refused
  const image = imageOf(request, server, name, { ...texts(given["metadata"]), image_type: "backup", backup_type: type })
  const { images } = request.world.glance
  const backups = Object.values(images).filter(
    (_) => _.properties["instance_uuid"] === server.id && _.properties["backup_type"] === type
  )
  for (const old of backups.slice(0, Math.max(0, backups.length - rotation))) delete images[old.id]
  return rotation === 0 ? empty(202) : made(request, image)
}

const rebuild: Action = (request, server, value) => {
  const given = objectAt(value)
  const image = imageFor(request.world.glance, request.scope, stringAt(given, "imageRef") ?? "")
  if (image === undefined) return badRequest("Cannot find image for rebuild")
  const refused = lockedFor(request, server) ?? wrongState("rebuild", server, ["active", "stopped", "error"])
  if (refused !== undefined) return refused
  if (image.status !== "active") return badRequest(`Image ${image.id} is not active.`)
  server.image_id = image.id
  server.name = stringAt(given, "name") ?? server.name
  if (has(given, "metadata")) server.metadata = texts(given["metadata"])
  if (has(given, "description")) server.description = stringAt(given, "description") ?? null
  Object.assign(server, attributesOf(given))
  begin(request, server, "rebuilding", server.vm_state === "stopped" ? "stopped" : "active")
  const adminPass = stringAt(given, "adminPass") ?? server.id.slice(0, 12)
  const kept = request.minor < 54 ? [] : ["key_name"]
  const userData = request.minor < 57 ? {} : { user_data: server.user_data ?? null }
  return json(202, { server: { ...showChanged(request, server, kept), ...userData, adminPass } })
}

const beginShelving = change("shelve", ["active", "stopped", "paused", "suspended"], "shelving", "shelved_offloaded")
const beginUnshelving = change("unshelve", ["shelved", "shelved_offloaded"], "unshelving", "active")

/** A server with a disk of its own has that stored as an image until it is unshelved (nova/compute/api.py, `shelve`). */
const shelve: Action = (request, server, value) => {
  const answer = beginShelving(request, server, value)
  if (answer.status === 202 && server.image_id !== null) {
    server.shelved_image_id = imageOf(request, server, `${server.name}-shelved`, {}).id
  }
  return answer
}

const unshelve: Action = (request, server, value) => {
  const answer = beginUnshelving(request, server, value)
  if (answer.status === 202 && server.shelved_image_id !== undefined) {
    delete request.world.glance.images[server.shelved_image_id]
    delete server.shelved_image_id
  }
  return answer
}

export const imageActions: Readonly<Record<string, Action>> = { createImage, createBackup, rebuild, shelve, unshelve }
