import { booleanOf, notFound } from "../nova/fault.ts"
import { json, type Routes } from "../Wire.ts"
import { type Request, volumeRoute } from "./request.ts"

/** All values of each key of the volumes' metadata, each value once. */
const metadataOf = (all: ReadonlyArray<Readonly<Record<string, string>>>) =>
  Object.fromEntries(
    [...Map.groupBy(all.flatMap(Object.entries<string>), ([key]) => key)].map(([key, entries]) => [
      key,
      [...new Set(entries.map(([, value]) => value))]
    ])
  )

const summary = ({ minor, query, scope, world }: Request) => {
  if (minor < 12) return notFound(`API version 3.${minor} is not supported on this method.`)
  const all = scope.admin && booleanOf(query.get("all_tenants") ?? "") === true
  const volumes = Object.values(world.cinder.volumes).filter((_) => all || _.project_id === scope.projectId)
  return json(200, {
    "volume-summary": {
      total_count: volumes.length,
      total_size: volumes.reduce((sum, _) => sum + _.size, 0),
      ...(minor < 36 ? {} : { metadata: metadataOf(volumes.map((_) => _.metadata)) })
    }
  })
}

/** Since 3.12; the filters of a list are read and have no effect. */
export const summaryRoutes: Routes = { "GET /v3/:project/volumes/summary": volumeRoute(summary) }
