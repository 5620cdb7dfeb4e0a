import { type JsonObject, objectAt, objectsAt } from "../Json.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { booleanOf, fault, misfit, misfitQuery, notFound } from "./fault.ts"
import { callCinder, isSuccess } from "./peers.ts"
import { proxyRead, proxyWrite, type Request, type RequestHandler } from "./request.ts"
import { createSnapshot, pageQuery } from "./schemas.ts"

const show = (_: JsonObject) => ({
  id: _["id"],
  volumeId: _["volume_id"],
  status: _["status"],
  size: _["size"],
  createdAt: _["created_at"],
  displayName: _["name"],
  displayDescription: _["description"]
})

const urlOf = ({ scope }: Request): string => `/v3/${scope.projectId}/snapshots`

const oneOf = (request: Request): string => `${urlOf(request)}/${request.params["id"] ?? ""}`

const absent = ({ params }: Request) => notFound(`Snapshot ${params["id"] ?? ""} could not be found.`)

/** Nova takes the whole list and cuts the page itself, as it does with volumes. */
const list: RequestHandler = (request) => {
  const wrong = misfitQuery(pageQuery, request.query)
  if (wrong !== undefined) return wrong
  const [offset, limit] = [Number(request.query.get("offset") ?? 0), Number(request.query.get("limit") ?? 0)]
  const all = objectsAt(objectAt(callCinder(request, "GET", `${urlOf(request)}/detail`).json)["snapshots"])
  return json(200, { snapshots: all.slice(offset, offset + (limit || 1000)).map(show) })
}

/** Nova expects no refusal of Cinder other than that of a quota: every other is a 500. */
const create: RequestHandler = (request) => {
  const wrong = misfit(createSnapshot, request.json)
  if (wrong !== undefined) return wrong
  const { display_description, display_name, force, volume_id } = objectAt(request.json, "snapshot")
  const response = callCinder(request, "POST", urlOf(request), {
    snapshot: {
      volume_id,
      force: booleanOf(String(force ?? false)) === true,
      name: display_name,
      description: display_description
    }
  })
  if (isSuccess(response)) return json(200, { snapshot: show(objectAt(response.json, "snapshot")) })
  return response.status === 413 ? fault(403, response.message) : fault(500, "Unexpected API Error.")
}

const one: RequestHandler = (request) => {
  const response = callCinder(request, "GET", oneOf(request))
  return isSuccess(response) ? json(200, { snapshot: show(objectAt(response.json, "snapshot")) }) : absent(request)
}

const remove: RequestHandler = (request) => {
  const response = callCinder(request, "DELETE", oneOf(request))
  if (isSuccess(response)) return empty(202)
  return response.status === 404 ? absent(request) : fault(500, "Unexpected API Error.")
}

/** The deprecated proxy of Cinder's snapshots. */
export const snapshotRoutes: Routes = {
  "GET /v2.1/os-snapshots": proxyRead(list),
  "GET /v2.1/os-snapshots/detail": proxyRead(list),
  "POST /v2.1/os-snapshots": proxyWrite("os-volumes:snapshots:create", create),
  "GET /v2.1/os-snapshots/:id": proxyRead(one),
  "DELETE /v2.1/os-snapshots/:id": proxyWrite("os-volumes:snapshots:delete", remove)
}
