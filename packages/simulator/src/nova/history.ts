import { randomUUID } from "node:crypto"
import { json, type Routes } from "../Wire.ts"
import { type Asked, computeRoute, ofServer, stamp } from "./asked.ts"
import { notFound } from "./fault.ts"
import type { InstanceAction, Server } from "./state.ts"

/** Notes what was done to a server; of a server that is gone nobody can ask. */
export const note = ({ now, scope, world }: Asked, server: Server, action: string): void => {
  const id = `req-${randomUUID()}`
  world.nova.instance_actions[id] = {
    id,
    action,
    server_id: server.id,
    user_id: scope.userId,
    project_id: scope.projectId,
    started_at: now
  }
}

const show = ({ minor }: Asked, _: InstanceAction) => ({
  action: _.action,
  instance_uuid: _.server_id,
  message: null,
  project_id: _.project_id,
  user_id: _.user_id,
  request_id: _.id,
  start_time: stamp(_.started_at),
  ...(minor < 58 ? {} : { updated_at: stamp(_.started_at) })
})

const actionsOf = ({ world }: Asked, server: Server): ReadonlyArray<InstanceAction> =>
  Object.values(world.nova.instance_actions)
    .filter((_) => _.server_id === server.id)
    .toReversed()

export const historyRoutes: Routes = {
  "GET /v2.1/servers/:id/os-instance-actions": computeRoute(
    ofServer((asked, server) => json(200, { instanceActions: actionsOf(asked, server).map((_) => show(asked, _)) }))
  ),
  "GET /v2.1/servers/:id/os-instance-actions/:request": computeRoute(
    ofServer((asked, server) => {
      const found = actionsOf(asked, server).find((_) => _.id === asked.params["request"])
      return found === undefined
        ? notFound(`Action for request_id ${asked.params["request"]} on instance ${server.id} not found`)
        : json(200, { instanceAction: { ...show(asked, found), events: [] } })
    })
  )
}
