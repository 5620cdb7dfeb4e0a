import { notFound } from "../nova/fault.ts"
import { json, type Routes } from "../Wire.ts"
import { toMicros } from "../times.ts"
import { volumeRoute } from "./request.ts"
import type { Volume } from "./state.ts"

/** The microversion that adds attachments. */
const since = 27

const summary = ({ attachment, id }: Volume) => ({
  id: attachment?.id,
  status: "attached",
  instance: attachment?.server_id,
  volume_id: id
})

/** Includes the connection information with its secrets. */
const detail = (volume: Volume) => ({
  ...summary(volume),
  attached_at: toMicros(volume.attachment?.attached_at ?? 0),
  detached_at: "",
  attach_mode: "rw",
  connection_info: { driver_volume_type: "iscsi", auth_method: "CHAP", auth_password: `password of ${volume.id}` }
})

const list = (view: (volume: Volume) => object) =>
  volumeRoute(({ minor, scope, world }) => {
    if (minor < since) return notFound("The resource could not be found.")
    const own = Object.values(world.cinder.volumes).filter((_) => _.project_id === scope.projectId)
    return json(200, { attachments: own.filter((_) => _.attachment !== null).map(view) })
  })

/**
 * The attachments that compute creates, read-only. Lists show the project's own; a show by id has no policy
 * check in Cinder, so it works for any project.
 */
export const attachmentRoutes: Routes = {
  "GET /v3/:project/attachments": list(summary),
  "GET /v3/:project/attachments/detail": list(detail),
  "GET /v3/:project/attachments/:id": volumeRoute(({ minor, params, world }) => {
    if (minor < since) return notFound("The resource could not be found.")
    const id = params["id"] ?? ""
    const found = Object.values(world.cinder.volumes).find((_) => _.attachment?.id === id)
    return found === undefined
      ? notFound(`Volume attachment could not be found with filter: attachment_id = ${id}.`)
      : json(200, { attachment: detail(found) })
  })
}
