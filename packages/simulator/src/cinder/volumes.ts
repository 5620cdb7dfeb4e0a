import { randomUUID } from "node:crypto"
import { imageFor } from "../glance/state.ts"
import { has, type JsonObject, objectAt, stringAt, stringMapOf } from "../Json.ts"
import { badRequest, booleanOf, fault, invalidField, notFound } from "../nova/fault.ts"
import { pageOf } from "../nova/paging.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import { toMicros } from "../times.ts"
import {
  type Request,
  bookmarkBase,
  memberRoute,
  noSnapshot,
  noVolume,
  ofVolume,
  pageAnswer,
  snapshotFor,
  volumeBase,
  volumeFor,
  volumePaging,
  volumeRoute
} from "./request.ts"
import { hasMetadata } from "./metadataFilter.ts"
import { orderOf, sizeOf, tooLong, volumeKeys, wrongSize } from "./validation.ts"
import { overQuota } from "./quotas.ts"
import { type Snapshot, type Volume, volumeDelay } from "./state.ts"

const linksOf = (request: Request, { id }: Volume) => [
  { rel: "self", href: `${volumeBase(request)}/volumes/${id}` },
  { rel: "bookmark", href: `${bookmarkBase(request)}/volumes/${id}` }
]

const showAttachment = (volume: Volume) =>
  volume.attachment === null
    ? []
    : [
        {
          id: volume.id,
          volume_id: volume.id,
          attachment_id: volume.attachment.id,
          server_id: volume.attachment.server_id,
          host_name: null,
          device: volume.attachment.device,
          attached_at: toMicros(volume.attachment.attached_at)
        }
      ]

const showVolume = (request: Request, volume: Volume) => ({
  id: volume.id,
  status: volume.status,
  size: volume.size,
  availability_zone: volume.availability_zone,
  created_at: toMicros(volume.created_at),
  updated_at: volume.updated_at === null ? null : toMicros(volume.updated_at),
  name: volume.name,
  description: volume.description,
  volume_type: volume.volume_type,
  snapshot_id: volume.snapshot_id,
  source_volid: volume.source_volid,
  metadata: volume.metadata,
  links: linksOf(request, volume),
  user_id: volume.user_id,
  bootable: String(volume.bootable),
  encrypted: false,
  replication_status: null,
  consistencygroup_id: null,
  multiattach: false,
  attachments: showAttachment(volume)
})

/** What the service notes of a volume hides an item of the same name. */
const shownMetadata = ({ admin_metadata, metadata }: Volume) => ({ ...metadata, ...admin_metadata })

/** A show has the owner, the answer to a write does not. */
const showWhole = (request: Request, volume: Volume) => ({
  ...showVolume(request, volume),
  metadata: shownMetadata(volume),
  "os-vol-tenant-attr:tenant_id": volume.project_id,
  ...(request.scope.admin ? { "os-vol-host-attr:host": "node1@lvm#lvm" } : {})
})

/** `all_tenants` is effective for administrators and ignored for others. */
export const listed = <Thing extends { readonly project_id: string; readonly name: string | null; status: string }>(
  { query, scope }: Request,
  things: Record<string, Thing>
): ReadonlyArray<Thing> => {
  const all = scope.admin && query.has("all_tenants") && booleanOf(query.get("all_tenants") ?? "") === true
  const project = all ? query.get("project_id") : scope.projectId
  return Object.values(things)
    .filter((_) => project === null || _.project_id === project)
    .filter((_) => !query.has("name") || _.name === query.get("name"))
    .filter((_) => !query.has("status") || _.status === query.get("status"))
}

const list =
  (view: (request: Request, volume: Volume) => unknown, path: string) =>
  (request: Request): Answer => {
    const { query, world } = request
    const order = orderOf(query, volumeKeys)
    if (typeof order !== "function") return order
    const found = listed(request, world.cinder.volumes).filter((_) => hasMetadata(_, query.get("metadata")))
    const page = pageOf(request, found, { ...volumePaging(noVolume), order })
    return pageAnswer(request, "volumes", path, page, view)
  }

interface Sources {
  readonly snapshot: Snapshot | null
  readonly volume: Volume | null
  readonly image: { readonly id: string; readonly size: number | null; readonly min_disk: number } | null
}

/** The source of the volume, looked up as the caller: another project's source does not exist. */
const sourcesOf = (request: Request, given: JsonObject): Sources | Answer => {
  const { scope } = request
  const [snapshotId, sourceId] = [stringAt(given, "snapshot_id"), stringAt(given, "source_volid")]
  const imageId = stringAt(given, "imageRef") ?? stringAt(given, "image_id")
  const snapshot = snapshotId === undefined ? undefined : snapshotFor(request, scope, snapshotId)
  if (snapshotId !== undefined && snapshot === undefined) return noSnapshot(snapshotId)
  if (snapshot !== undefined && snapshot.status !== "available") {
    return badRequest(`Invalid snapshot: Originating snapshot status must be one of 'available' values`)
  }
  const volume = sourceId === undefined ? undefined : volumeFor(request, scope, sourceId)
  if (sourceId !== undefined && volume === undefined) return noVolume(sourceId)
  if (volume !== undefined && !["available", "in-use"].includes(volume.status)) {
    return badRequest("Invalid volume: Originating source volume status must be one of 'available, in-use' values")
  }
  const image = imageId === undefined ? undefined : imageFor(request.world.glance, scope, imageId)
  if (imageId !== undefined && image === undefined) {
    return badRequest("Invalid image identifier or unable to access requested image.")
  }
  if (image !== undefined && image.status !== "active") {
    return badRequest(`Invalid input received: Invalid image: Image ${image.id} is not active.`)
  }
  return { snapshot: snapshot ?? null, volume: volume ?? null, image: image ?? null }
}

const tooSmall = (size: number, { image, snapshot, volume }: Sources): string | undefined => {
  if (snapshot !== null && size < snapshot.size) {
    return `Volume size '${size}'GB cannot be smaller than the snapshot size ${snapshot.size}GB. They must be >= original snapshot size.`
  }
  if (volume !== null && size < volume.size) {
    return `Volume size '${size}'GB cannot be smaller than original volume size ${volume.size}GB. They must be >= original volume size.`
  }
  const gigabytes = Math.ceil((image?.size ?? 0) / 2 ** 30)
  if (size < gigabytes) {
    return `Size of specified image ${gigabytes}GB is larger than volume size ${size}GB.`
  }
  return image !== null && size < image.min_disk
    ? `Volume size ${size}GB cannot be smaller than the image minDisk size ${image.min_disk}GB.`
    : undefined
}

const broken = "The server has either erred or is incapable of performing the requested operation."

const create = (request: Request): Answer => {
  const { json: body, now, scope, world } = request
  const given = objectAt(body, "volume")
  // Without a body the service fails with a 500.
  if (body === undefined) return fault(500, broken)
  if (!has(body, "volume")) return badRequest("'volume' is a required property")
  const long = tooLong(given)
  if (long !== undefined) return long
  const sources = sourcesOf(request, given)
  if (isAnswer(sources)) return sources
  const size = sizeOf(given["size"] ?? sources.snapshot?.size ?? sources.volume?.size)
  if (size === undefined) return wrongSize(given["size"])
  const metadata = stringMapOf(given["metadata"])
  if (metadata === undefined) return invalidField("metadata", given["metadata"], "not of type 'string'")
  const small = tooSmall(size, sources)
  if (small !== undefined) return badRequest(`Invalid input received: ${small}`)
  const asType = stringAt(given, "volume_type") ?? "__DEFAULT__"
  const type = Object.values(world.cinder.types).find((_) => _.name === asType || _.id === asType)
  if (type === undefined) return notFound(`Volume type with name ${asType} could not be found.`)
  const zone = stringAt(given, "availability_zone") ?? "nova"
  if (zone !== "nova") return badRequest(`Availability zone '${zone}' is invalid.`)
  const refused = overQuota(world, scope.projectId, { volumes: 1, gigabytes: size }, type.name)
  if (refused !== undefined) return refused
  const volume: Volume = {
    id: randomUUID(),
    project_id: scope.projectId,
    user_id: scope.userId,
    name: stringAt(given, "name") ?? stringAt(given, "display_name") ?? null,
    description: stringAt(given, "description") ?? null,
    size,
    status: "creating",
    volume_type: type.name,
    availability_zone: zone,
    bootable: sources.image !== null || (sources.volume?.bootable ?? false),
    snapshot_id: sources.snapshot?.id ?? null,
    source_volid: sources.volume?.id ?? null,
    image_id: sources.image?.id ?? null,
    metadata,
    attachment: null,
    created_at: now,
    updated_at: null,
    due: { at: now + volumeDelay, status: "available" }
  }
  world.cinder.volumes[volume.id] = volume
  return json(202, { volume: showVolume(request, volume) })
}

const update = ofVolume((request, volume) => {
  if (!has(request.json, "volume")) return badRequest("'volume' is a required property")
  const given = objectAt(request.json, "volume")
  const long = tooLong(given)
  if (long !== undefined) return long
  volume.name = stringAt(given, "name") ?? volume.name
  volume.description = stringAt(given, "description") ?? volume.description
  volume.metadata = has(given, "metadata") ? (stringMapOf(given["metadata"]) ?? volume.metadata) : volume.metadata
  volume.updated_at = request.now
  return json(200, { volume: { ...showVolume(request, volume), metadata: shownMetadata(volume) } })
})

const deletable = ["available", "error", "error_restoring", "error_extending", "error_managing"]

const remove = ofVolume(({ now, query, world: { cinder } }, volume) => {
  const cascade = booleanOf(query.get("cascade") ?? "") === true
  const snapshots = Object.values(cinder.snapshots).filter((_) => _.volume_id === volume.id)
  if (!deletable.includes(volume.status) || volume.attachment !== null || (snapshots.length > 0 && !cascade)) {
    return badRequest(
      `Invalid volume: Volume status must be ${deletable.join(" or ")} and must not be migrating, attached, belong ` +
        "to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer."
    )
  }
  for (const gone of [volume, ...snapshots]) {
    gone.status = "deleting"
    gone.due = { at: now + volumeDelay, status: "deleted" }
  }
  return empty(202)
})

export const volumesRoutes: Routes = {
  "GET /v3/:project/volumes": volumeRoute(
    list((request, volume) => ({ id: volume.id, name: volume.name, links: linksOf(request, volume) }), "volumes")
  ),
  "GET /v3/:project/volumes/detail": volumeRoute(list(showWhole, "volumes/detail")),
  "GET /v3/:project/volumes/:id": volumeRoute(
    ofVolume((request, volume) => json(200, { volume: showWhole(request, volume) }))
  ),
  "POST /v3/:project/volumes": memberRoute("volume:create", create),
  "PUT /v3/:project/volumes/:id": memberRoute("volume:update", update),
  "DELETE /v3/:project/volumes/:id": memberRoute("volume:delete", remove)
}
