import { json, type Routes } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { type Request, computeRoute, ofServer } from "./request.ts"
import { notFound } from "./fault.ts"
import type { InstanceAction, Server } from "./state.ts"

/** Records an action on a server under the id of its request, which may act on several servers. */
export const note = ({ now, requestId, scope, world }: Request, server: Server, action: string): void => {
  world.nova.instance_actions[`${requestId} ${server.id} ${action}`] = {
    id: requestId,
    action,
    server_id: server.id,
    user_id: scope.userId,
    project_id: scope.projectId,
    started_at: now
  }
}

const show = ({ minor }: Request, _: InstanceAction) => ({
  action: _.action,
  instance_uuid: _.server_id,
  message: null,
  project_id: _.project_id,
  user_id: _.user_id,
  request_id: _.id,
  start_time: toSecondsUtc(_.started_at),
  ...(minor < 58 ? {} : { updated_at: toSecondsUtc(_.started_at) })
})

const actionsOf = ({ world }: Request, server: Server): ReadonlyArray<InstanceAction> =>
  Object.values(world.nova.instance_actions)
    .filter((_) => _.server_id === server.id)
    .toReversed()

export const historyRoutes: Routes = {
  "GET /v2.1/servers/:id/os-instance-actions": computeRoute(
    ofServer((request, server) =>
      json(200, { instanceActions: actionsOf(request, server).map((_) => show(request, _)) })
    )
  ),
  "GET /v2.1/servers/:id/os-instance-actions/:request": computeRoute(
    ofServer((request, server) => {
      const found = actionsOf(request, server).find((_) => _.id === request.params["request"])
      return found === undefined
        ? notFound(`Action for request_id ${request.params["request"]} on instance ${server.id} not found`)
        : json(200, { instanceAction: { ...show(request, found), events: [] } })
    })
  )
}
