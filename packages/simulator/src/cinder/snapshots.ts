import { randomUUID } from "node:crypto"
import { booleanAt, has, isUuid, objectAt, stringAt, stringMapOf } from "../Json.ts"
import { badRequest, invalidField } from "../nova/fault.ts"
import { pageOf } from "../nova/paging.ts"
import { repr } from "../python.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { toMicros } from "../times.ts"
import {
  type Request,
  memberRoute,
  noSnapshot,
  noVolume,
  ofSnapshot,
  pageAnswer,
  volumeFor,
  volumePaging,
  volumeRoute
} from "./request.ts"
import { overQuota } from "./quotas.ts"
import { type Snapshot, volumeDelay } from "./state.ts"
import { hasMetadata } from "./metadataFilter.ts"
import { orderOf, snapshotKeys, tooLong } from "./validation.ts"
import { listed } from "./volumes.ts"

const summary = (_: Snapshot) => ({
  id: _.id,
  name: _.name,
  description: _.description,
  volume_id: _.volume_id,
  status: _.status,
  size: _.size,
  metadata: _.metadata,
  created_at: toMicros(_.created_at),
  updated_at: _.updated_at === null ? null : toMicros(_.updated_at)
})

const detail = (_: Snapshot) => ({
  ...summary(_),
  "os-extended-snapshot-attributes:project_id": _.project_id,
  "os-extended-snapshot-attributes:progress": _.status === "available" ? "100%" : "0%"
})

const list =
  (view: (snapshot: Snapshot) => unknown, path: string) =>
  (request: Request): Answer => {
    const { query, world } = request
    const order = orderOf(query, snapshotKeys(request.minor))
    if (typeof order !== "function") return order
    const found = listed(request, world.cinder.snapshots)
      .filter((_) => !query.has("volume_id") || _.volume_id === query.get("volume_id"))
      .filter((_) => request.minor < 22 || hasMetadata(_, query.get("metadata")))
    const page = pageOf(request, found, { ...volumePaging(noSnapshot), order })
    return pageAnswer(request, "snapshots", path, page, (_, snapshot) => view(snapshot))
  }

const create = (request: Request): Answer => {
  const { json: body, now, scope, world } = request
  if (!has(body, "snapshot")) return badRequest("'snapshot' is a required property")
  const given = objectAt(body, "snapshot")
  const long = tooLong(given)
  if (long !== undefined) return long
  if (!has(given, "volume_id")) return invalidField("snapshot", given, "'volume_id' is a required property")
  const { volume_id } = given
  if (volume_id === null) return noVolume("None")
  if (!isUuid(volume_id)) {
    return invalidField("volume_id", volume_id, `${repr(volume_id)} is not valid under any of the given schemas`)
  }
  const volumeId = volume_id
  const volume = volumeFor(request, scope, volumeId)
  if (volume === undefined) return noVolume(volumeId)
  const force = booleanAt(given, "force") ?? false
  if (volume.status !== "available" && !(force && volume.status === "in-use")) {
    return badRequest(
      `Invalid volume: Volume ${volume.id} status must be available, but current status is: ${volume.status}.`
    )
  }
  // The snapshot counts against the volume's project, which may differ from an administrator's.
  const refused = overQuota(world, volume.project_id, { snapshots: 1, gigabytes: volume.size }, volume.volume_type)
  if (refused !== undefined) return refused
  const snapshot: Snapshot = {
    id: randomUUID(),
    project_id: volume.project_id,
    user_id: scope.userId,
    volume_id: volume.id,
    name: stringAt(given, "name") ?? null,
    description: stringAt(given, "description") ?? null,
    size: volume.size,
    status: "creating",
    metadata: stringMapOf(given["metadata"]) ?? {},
    created_at: now,
    updated_at: null,
    due: { at: now + volumeDelay, status: "available" }
  }
  world.cinder.snapshots[snapshot.id] = snapshot
  return json(202, { snapshot: summary(snapshot) })
}

const update = ofSnapshot(({ json: body, now }, snapshot) => {
  if (!has(body, "snapshot")) return badRequest("'snapshot' is a required property")
  const given = objectAt(body, "snapshot")
  snapshot.name = stringAt(given, "name") ?? snapshot.name
  snapshot.description = stringAt(given, "description") ?? snapshot.description
  snapshot.updated_at = now
  return json(200, { snapshot: summary(snapshot) })
})

const remove = ofSnapshot(({ now }, snapshot) => {
  if (!["available", "error"].includes(snapshot.status)) {
    return badRequest("Invalid snapshot: Snapshot status must be available or error.")
  }
  snapshot.status = "deleting"
  snapshot.due = { at: now + volumeDelay, status: "deleted" }
  return empty(202)
})

export const snapshotRoutes: Routes = {
  "GET /v3/:project/snapshots": volumeRoute(list(summary, "snapshots")),
  "GET /v3/:project/snapshots/detail": volumeRoute(list(detail, "snapshots/detail")),
  "GET /v3/:project/snapshots/:id": volumeRoute(ofSnapshot((_, snapshot) => json(200, { snapshot: detail(snapshot) }))),
  "POST /v3/:project/snapshots": memberRoute("volume:create_snapshot", create),
  "PUT /v3/:project/snapshots/:id": memberRoute("volume:update_snapshot", update),
  "DELETE /v3/:project/snapshots/:id": memberRoute("volume:delete_snapshot", remove)
}
