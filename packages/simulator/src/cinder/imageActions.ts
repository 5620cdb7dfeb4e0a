import { randomUUID } from "node:crypto"
import { imageFor, newImage } from "../glance/state.ts"
import { booleanAt, objectAt, stringAt } from "../Json.ts"
import { badRequest, notFound } from "../nova/fault.ts"
import { empty, json } from "../Wire.ts"
import { toMicros } from "../times.ts"
import { type Action } from "./request.ts"
import { volumeDelay } from "./state.ts"

const gigabyte = 2 ** 30

/** Uploads the volume as an image of the caller's project; the image is active at once. */
const upload: Action = ({ now, scope, world }, volume, value) => {
  const given = objectAt(value)
  const name = stringAt(given, "image_name")
  if (name === undefined || name === "") return badRequest("No image_name was specified in request.")
  const forced = booleanAt(given, "force") === true
  if (volume.status !== "available" && !(forced && volume.status === "in-use")) {
    return badRequest(
      `Invalid volume: Volume ${volume.id} status must be available or in-use, but current status is: ${volume.status}.`
    )
  }
  const image = newImage(
    {
      id: randomUUID(),
      owner: scope.projectId,
      name,
      status: "active",
      visibility: "private",
      disk_format: stringAt(given, "disk_format") ?? "raw",
      container_format: stringAt(given, "container_format") ?? "bare",
      min_disk: volume.size,
      size: volume.size * gigabyte
    },
    now
  )
  world.glance.images[image.id] = image
  volume.due = { at: now + volumeDelay, status: volume.status }
  volume.status = "uploading"
  return json(202, {
    "os-volume_upload_image": {
      id: volume.id,
      image_id: image.id,
      image_name: name,
      status: "uploading",
      size: volume.size,
      display_description: volume.description,
      disk_format: image.disk_format,
      container_format: image.container_format,
      volume_type: { name: volume.volume_type },
      updated_at: toMicros(now)
    }
  })
}

/** Microversion 3.68 adds reimage. */
const reimage: Action = ({ minor, now, scope, world }, volume, value) => {
  if (minor < 68) return badRequest("There is no such action: os-reimage")
  const id = stringAt(objectAt(value), "image_id") ?? ""
  const image = imageFor(world.glance, scope, id)
  if (image === undefined) return notFound(`Image ${id} could not be found.`)
  if (volume.status !== "available") {
    return badRequest(`Invalid volume: Volume ${volume.id} status must be available, but is ${volume.status}.`)
  }
  volume.image_id = image.id
  volume.bootable = true
  volume.status = "downloading"
  volume.due = { at: now + volumeDelay, status: "available" }
  return empty(202)
}

export const imageActions: Readonly<Record<string, Action>> = {
  "os-volume_upload_image": upload,
  "os-reimage": reimage
}
