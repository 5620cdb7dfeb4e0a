import { randomUUID } from "node:crypto"
import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import { badRequest } from "../nova/fault.ts"
import { isAnswer, pageOf } from "../nova/paging.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import {
  type Asked,
  memberRoute,
  noSnapshot,
  noVolume,
  ofSnapshot,
  stamp,
  volumeBase,
  volumeFor,
  volumePaging,
  volumeRoute
} from "./asked.ts"
import { overQuota } from "./quotas.ts"
import { type Snapshot, volumeDelay } from "./state.ts"
import { tooLong } from "./asking.ts"
import { listed, strings } from "./volumes.ts"

const summary = (_: Snapshot) => ({
  id: _.id,
  name: _.name,
  description: _.description,
  volume_id: _.volume_id,
  status: _.status,
  size: _.size,
  metadata: _.metadata,
  created_at: stamp(_.created_at),
  updated_at: _.updated_at === null ? null : stamp(_.updated_at)
})

const detail = (_: Snapshot) => ({
  ...summary(_),
  "os-extended-snapshot-attributes:project_id": _.project_id,
  "os-extended-snapshot-attributes:progress": _.status === "available" ? "100%" : "0%"
})

const list =
  (view: (snapshot: Snapshot) => unknown, path: string) =>
  (asked: Asked): Answer => {
    const { query, world } = asked
    const found = listed(asked, world.cinder.snapshots)
    const page = pageOf(
      asked,
      found.filter((_) => !query.has("volume_id") || _.volume_id === query.get("volume_id")),
      volumePaging(noSnapshot)
    )
    if (isAnswer(page)) return page
    const next = { rel: "next", href: `${volumeBase(asked)}/${path}?${page.next}` }
    return json(200, {
      snapshots: page.items.map(view),
      ...(page.next === undefined ? {} : { snapshots_links: [next] })
    })
  }

const create = (asked: Asked): Answer => {
  const { json: body, now, scope, world } = asked
  if (!has(body, "snapshot")) return badRequest("'snapshot' is a required property")
  const given = objectAt(body, "snapshot")
  const long = tooLong(given)
  if (long !== undefined) return long
  const volumeId = stringAt(given, "volume_id")
  if (volumeId === undefined) return badRequest("'volume_id' is a required property")
  const volume = volumeFor(asked, scope, volumeId)
  if (volume === undefined) return noVolume(volumeId)
  const force = booleanAt(given, "force") ?? false
  if (volume.status !== "available" && !(force && volume.status === "in-use")) {
    return badRequest(
      `Invalid volume: Volume ${volume.id} status must be available, but current status is: ${volume.status}.`
    )
  }
  // The room is taken from the volume's project, which an administrator's own need not be.
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
    metadata: strings(given["metadata"]) ?? {},
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
