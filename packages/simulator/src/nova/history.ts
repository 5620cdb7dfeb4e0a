import { type Answer, json, type Routes } from "../Wire.ts"
import { toMicros } from "../times.ts"
import { type Request, computeRoute, ofOne, ofServer, type RequestHandler } from "./request.ts"
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
  start_time: toMicros(_.started_at),
  ...(minor < 58 ? {} : { updated_at: toMicros(_.started_at) })
})

const actionsOf = ({ world }: Request, server: Server): ReadonlyArray<InstanceAction> =>
  Object.values(world.nova.instance_actions)
    .filter((_) => _.server_id === server.id)
    .toReversed()

const ofDeleted = ofOne(
  (_) => ({ ..._.deletedServers, ..._.servers }),
  (id) => notFound(`Instance ${id} could not be found.`)
)

/** Since 2.21 the actions of a deleted server can be read. */
const reading =
  (handler: (request: Request, server: Server) => Answer): RequestHandler =>
  (request) =>
    (request.minor < 21 ? ofServer : ofDeleted)(handler)(request)

export const historyRoutes: Routes = {
  "GET /v2.1/servers/:id/os-instance-actions": computeRoute(
    reading((request, server) =>
      json(200, { instanceActions: actionsOf(request, server).map((_) => show(request, _)) })
    )
  ),
  "GET /v2.1/servers/:id/os-instance-actions/:request": computeRoute(
    reading((request, server) => {
      const found = actionsOf(request, server).find((_) => _.id === request.params["request"])
      return found === undefined
        ? notFound(`Action for request_id ${request.params["request"]} on instance ${server.id} not found`)
        : json(200, { instanceAction: { ...show(request, found), events: [] } })
    })
  )
}
