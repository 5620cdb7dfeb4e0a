import { randomUUID } from "node:crypto"
import { snapshotFor, volumeFor } from "../cinder/request.ts"
import { overQuota } from "../cinder/quotas.ts"
import type { Snapshot, Volume } from "../cinder/state.ts"
import { type Image, imageFor } from "../glance/state.ts"
import { booleanAt, isUuid, type JsonObject, objectsAt, parseJson, stringAt } from "../Json.ts"
import { type Answer, isAnswer } from "../Wire.ts"
import { attach } from "./attachments.ts"
import { badRequest } from "./fault.ts"
import type { Request } from "./request.ts"
import type { Flavor, Server } from "./state.ts"

/** A volume that is made with the server, from an image, a snapshot or nothing. */
interface NewVolume {
  readonly size: number
  readonly type: string | undefined
  readonly image: Image | undefined
  readonly snapshot: Snapshot | undefined
}

interface Disk {
  /** A volume that exists, or the plan of one. */
  readonly source: Volume | NewVolume
  readonly deleteOnTermination: boolean
  readonly device?: string | undefined
}

export interface Boot {
  readonly image: Image | null
  /** The disk to boot from is first. */
  readonly disks: ReadonlyArray<Disk>
}

const isVolume = (source: Disk["source"]): source is Volume => "id" in source

/** Whether a disk exists, so that no second server can have it. */
export const hasVolumes = ({ disks }: Boot): boolean => disks.some((_) => isVolume(_.source))

const invalid = (why: string): Answer => badRequest(`Block Device Mapping is Invalid: ${why}`)

const existing = (request: Request, id: string): Volume | Answer => {
  const volume = volumeFor(request, request.scope, id)
  if (volume === undefined) return invalid(`failed to get volume ${id}.`)
  return volume.status === "available"
    ? volume
    : badRequest(`Invalid volume: volume '${id}' status must be 'available'. Currently in '${volume.status}'`)
}

const sizeOf = (mapping: JsonObject): number => {
  const size = Number(mapping["volume_size"] ?? 0)
  return Number.isInteger(size) && size > 0 ? size : 0
}

/** The source is looked up as the caller: another project's does not exist. */
const planned = (request: Request, mapping: JsonObject, source: string, id: string): NewVolume | Answer => {
  const size = sizeOf(mapping)
  const type = stringAt(mapping, "volume_type")
  if (source === "blank") {
    return size > 0
      ? { size, type, image: undefined, snapshot: undefined }
      : invalid("Blank volumes (source: 'blank', dest: 'volume') need to have non-zero size.")
  }
  if (source === "snapshot") {
    const snapshot = snapshotFor(request, request.scope, id)
    return snapshot === undefined
      ? invalid(`failed to get snapshot ${id}.`)
      : { size: size > 0 ? size : snapshot.size, type, image: undefined, snapshot }
  }
  const image = imageFor(request.world.glance, request.scope, id)
  if (image === undefined) return invalid(`failed to get image ${id}.`)
  return size > 0
    ? { size, type, image, snapshot: undefined }
    : invalid("Images with destination_type 'volume' need to have a non-zero size specified.")
}

const diskOf = (request: Request, mapping: JsonObject): Disk | Answer => {
  const [source = "", id = ""] = [stringAt(mapping, "source_type"), stringAt(mapping, "uuid")]
  if (source !== "volume" && stringAt(mapping, "destination_type") !== "volume") {
    return invalid("only disks that are volumes are simulated.")
  }
  const found = source === "volume" ? existing(request, id) : planned(request, mapping, source, id)
  return isAnswer(found)
    ? found
    : { source: found, deleteOnTermination: booleanAt(mapping, "delete_on_termination") ?? false }
}

/** The disk of index 0 is booted from. Those without an index, or with a negative one, are never. */
const indexOf = ({ boot_index }: JsonObject): number => {
  const index = Number(boot_index ?? -1)
  return index < 0 ? Number.MAX_SAFE_INTEGER : index
}

/** Why a mapping makes no sense by itself, in the order in which Nova asks. */
const misformed: ReadonlyArray<readonly [why: string, is: (mapping: JsonObject, hasImage: boolean) => boolean]> = [
  ["Invalid device UUID.", (_) => _["source_type"] === "blank" && Boolean(_["uuid"])],
  ["Missing device UUID.", (_) => _["source_type"] !== "blank" && !_["uuid"]],
  [
    "Mapping image to local is not supported.",
    (_, hasImage) =>
      _["source_type"] === "image" && _["destination_type"] === "local" && !(hasImage && indexOf(_) === 0)
  ],
  [
    "Specifying a volume_type with destination_type=local is not supported.",
    (_) => _["destination_type"] === "local" && Boolean(_["volume_type"])
  ],
  [
    "Specifying volume type to existing volume is not supported.",
    (_) => _["source_type"] === "volume" && Boolean(_["volume_type"])
  ]
]

/** Each disk that may be booted from has an index of its own, from 0 on without a gap. */
const isSequence = (mappings: ReadonlyArray<JsonObject>): boolean => {
  const indexes = mappings.map(indexOf).filter((_) => _ < Number.MAX_SAFE_INTEGER)
  return indexes.length > 0 && indexes.toSorted((a, b) => a - b).every((_, at) => _ === at)
}

/** The refusal of the mappings as a whole; a server without any boots from its image. */
const wrongMappings = (
  request: Request,
  mappings: ReadonlyArray<JsonObject>,
  image: Image | null
): Answer | undefined => {
  if (mappings.length === 0) return image === null ? invalid(sequence) : undefined
  const [why] = misformed.find(([, is]) => mappings.some((_) => is(_, image !== null))) ?? []
  if (why !== undefined) return invalid(why)
  const root = mappings.find((_) => indexOf(_) === 0 && _["source_type"] === "volume")
  const id = stringAt(root ?? {}, "uuid") ?? ""
  const volume = volumeFor(request, request.scope, id)
  if (image === null && volume?.bootable === false) return badRequest(`Block Device ${id} is not bootable.`)
  return volume === undefined && id !== "" ? invalid(`failed to get volume ${id}.`) : unsequenced(mappings)
}

const sequence = "Boot sequence for the instance and image/block device mapping combination is not valid."

const unsequenced = (mappings: ReadonlyArray<JsonObject>) => (isSequence(mappings) ? undefined : invalid(sequence))

const imageOf = (request: Request, given: JsonObject, flavor: Flavor): Image | null | Answer => {
  const id = stringAt(given, "imageRef") ?? ""
  if (id === "") return null
  if (!isUuid(id)) return badRequest("Invalid imageRef provided.")
  const image = imageFor(request.world.glance, request.scope, id)
  if (image === undefined) return badRequest(`Can not find requested image`)
  if (image.status !== "active") return badRequest(`Image ${image.id} is not active.`)
  if (flavor.ram < image.min_ram) return badRequest("Flavor's memory is too small for requested image.")
  return flavor.disk < image.min_disk
    ? badRequest("Flavor's disk is smaller than the minimum size of the image.")
    : image
}

/** The block devices that an image brings, each from a snapshot: nova/compute/api.py, `_get_image_defined_bdms`. */
const devicesOf = (image: Image | null): ReadonlyArray<JsonObject> =>
  objectsAt(parseJson(image?.properties["block_device_mapping"] ?? "")).map((_) => ({ ..._, uuid: _["snapshot_id"] }))

/** The boot source: an image, volumes that the caller may use, or volumes that are made with the server. */
export const bootOf = (request: Request, given: JsonObject, flavor: Flavor): Boot | Answer => {
  const image = imageOf(request, given, flavor)
  if (image !== null && isAnswer(image)) return image
  const all = objectsAt(given, "block_device_mapping_v2")
  const fromImage = devicesOf(image)
  const wrong = wrongMappings(request, all, image)
  if (wrong !== undefined) return wrong
  const mappings = all
    // The image on the server's own disk, said once more.
    .filter(
      (_) =>
        stringAt(_, "source_type") !== "image" ||
        stringAt(_, "destination_type") === "volume" ||
        stringAt(_, "uuid") !== image?.id
    )
    .toSorted((a, b) => indexOf(a) - indexOf(b))
  const disks: Array<Disk> = []
  for (const mapping of [...fromImage, ...mappings]) {
    const disk = diskOf(request, mapping)
    if (isAnswer(disk)) return disk
    disks.push(fromImage.includes(mapping) ? { ...disk, device: stringAt(mapping, "device_name") } : disk)
  }
  return { image, disks }
}

/** Makes the volume; undefined where the project has no room for it. */
const made = ({ now, scope, world }: Request, { image, size, snapshot, type }: NewVolume): Volume | undefined => {
  const [usual] = Object.values(world.cinder.types)
  const volume_type = type ?? usual?.name ?? ""
  if (overQuota(world, scope.projectId, { volumes: 1, gigabytes: size }, volume_type) !== undefined) return undefined
  const volume: Volume = {
    id: randomUUID(),
    project_id: scope.projectId,
    user_id: scope.userId,
    name: "",
    description: "",
    size,
    status: "creating",
    volume_type,
    availability_zone: "nova",
    bootable: image !== undefined || snapshot !== undefined,
    snapshot_id: snapshot?.id ?? null,
    source_volid: null,
    image_id: image?.id ?? null,
    metadata: {},
    attachment: null,
    created_at: now,
    updated_at: null,
    due: null
  }
  world.cinder.volumes[volume.id] = volume
  return volume
}

/** Gives the server its disks. False when one of them cannot be made: the server is accepted already, and fails. */
export const giveDisks = (request: Request, server: Server, { disks }: Boot): boolean =>
  disks.every(({ deleteOnTermination, device, source }) => {
    const volume = isVolume(source) ? source : made(request, source)
    if (volume === undefined) return false
    attach(request, server, volume, { deleteOnTermination, device })
    return true
  })
