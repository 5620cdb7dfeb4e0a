import { Effect, Schema } from "effect"
import { kindOf, type Table } from "../projectResources/listing.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"

/** Designate is the only service in which an administrator may act as a project. */
const as = (projectId: string) => ({ "x-auth-sudo-project-id": projectId })

const Zone = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  project_id: Schema.String,
  status: Schema.String,
  action: Schema.String
})

const zones: Table<typeof Zone.Type> = {
  service: "dns",
  name: "zones",
  path: "/zones",
  collection: "zones",
  item: Zone,
  headers: as,
  paging: { by: "marker", limit: 500 },
  toListed: ({ action, id, name, project_id, status }) => ({
    id,
    name,
    project: project_id,
    busy: action === "DELETE" && status === "PENDING"
  })
}

const Task = Schema.Struct({ id: Schema.String, project_id: Schema.String, status: Schema.String })

/** The records of zone imports and exports. */
const tasks = (name: string): Table<typeof Task.Type> => ({
  service: "dns",
  name: `zone_${name}`,
  path: `/zones/tasks/${name}`,
  collection: name,
  item: Task,
  headers: as,
  paging: { by: "marker", limit: 500 },
  toListed: ({ id, project_id, status }) => ({ id, name: status, project: project_id })
})

export const designateResources = Effect.fnUntraced(function* (url: string) {
  const designate = (yield* underSession)({ upstream: "designate", url, session: (yield* Sessions).control })
  const system = () => designate
  return {
    zones: kindOf(zones, { system }),
    zoneImports: kindOf(tasks("imports"), { system }),
    zoneExports: kindOf(tasks("exports"), { system })
  }
})
