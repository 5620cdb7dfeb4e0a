import { randomUUID } from "node:crypto"
import { type Image, imageFor } from "../glance/state.ts"
import { numberAt, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json } from "../Wire.ts"
import { type Asked, lockedFor, wrongState } from "./asked.ts"
import { badRequest, invalidField } from "./fault.ts"
import type { Server } from "./state.ts"
import { type Action, begin } from "./tasks.ts"
import { showServer } from "./view.ts"

const texts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectAt(value)).flatMap(([key, _]) => (typeof _ === "string" ? [[key, _] as const] : []))
  )

/** The server's disk as an image of the server's project; it is there at once. */
const imageOf = (
  { now, scope, world }: Asked,
  server: Server,
  name: string,
  properties: Image["properties"]
): Image => {
  const base = server.image_id === null ? undefined : world.glance.images[server.image_id]
  const image: Image = {
    id: randomUUID(),
    owner: scope.projectId,
    name,
    status: "active",
    visibility: "private",
    disk_format: base?.disk_format ?? "qcow2",
    container_format: base?.container_format ?? "bare",
    min_disk: world.nova.flavors[server.flavor_id]?.disk ?? 0,
    min_ram: base?.min_ram ?? 0,
    protected: false,
    os_hidden: false,
    tags: [],
    properties: { image_type: "snapshot", instance_uuid: server.id, ...properties },
    size: base?.size ?? 0,
    checksum: base?.checksum ?? null,
    os_hash_value: base?.os_hash_value ?? null,
    data: base?.data ?? null,
    locations: [],
    members: {},
    created_at: now,
    updated_at: now
  }
  world.glance.images[image.id] = image
  return image
}

/** Where the image is: in a header, and from 2.45 in the body instead. */
const made = ({ headers, minor }: Asked, image: Image): Answer =>
  minor < 45
    ? empty(202, { location: `http://${headers["host"] ?? "localhost"}/image/v2/images/${image.id}` })
    : json(202, { image_id: image.id })

const nameOf = (value: unknown): string | undefined => {
  const name = stringAt(objectAt(value), "name")
  return name === undefined || name.trim() === "" || name.length > 255 ? undefined : name
}

const createImage: Action = (asked, server, value) => {
  const name = nameOf(value)
  if (name === undefined) return invalidField("name", objectAt(value)["name"], "")
  const refused =
    lockedFor(asked, server) ?? wrongState("createImage", server, ["active", "stopped", "paused", "suspended"])
  return refused ?? made(asked, imageOf(asked, server, name, texts(objectAt(value)["metadata"])))
}

/** Keeps so many backups of one type and lets the oldest go. */
const createBackup: Action = (asked, server, value) => {
  const given = objectAt(value)
  const [name, type, rotation] = [nameOf(value), stringAt(given, "backup_type"), numberAt(given, "rotation")]
  if (name === undefined || type === undefined || rotation === undefined || rotation < 0) {
    return badRequest("Invalid input for field/attribute createBackup.")
  }
  const refused =
    lockedFor(asked, server) ?? wrongState("createBackup", server, ["active", "stopped", "paused", "suspended"])
  if (refused !== undefined) return refused
  const image = imageOf(asked, server, name, { ...texts(given["metadata"]), image_type: "backup", backup_type: type })
  const { images } = asked.world.glance
  const backups = Object.values(images).filter(
    (_) => _.properties["instance_uuid"] === server.id && _.properties["backup_type"] === type
  )
  for (const old of backups.slice(0, Math.max(0, backups.length - rotation))) delete images[old.id]
  return rotation === 0 ? empty(202) : made(asked, image)
}

const rebuild: Action = (asked, server, value) => {
  const given = objectAt(value)
  const image = imageFor(asked.world.glance, asked.scope, stringAt(given, "imageRef") ?? "")
  if (image === undefined) return badRequest("Cannot find image for rebuild")
  const refused = lockedFor(asked, server) ?? wrongState("rebuild", server, ["active", "stopped", "error"])
  if (refused !== undefined) return refused
  if (image.status !== "active") return badRequest(`Image ${image.id} is not active.`)
  server.image_id = image.id
  server.name = nameOf(value) ?? server.name
  begin(asked, server, "rebuilding", server.vm_state === "stopped" ? "stopped" : "active")
  const adminPass = stringAt(given, "adminPass") ?? server.id.slice(0, 12)
  return json(202, { server: { ...showServer(asked, server), adminPass } })
}

export const imageActions: Readonly<Record<string, Action>> = { createImage, createBackup, rebuild }
