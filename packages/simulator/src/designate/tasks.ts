import { Result } from "effect"
import { randomUUID } from "node:crypto"
import { stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { toMicros } from "../times.ts"
import { policyRefused, refuse } from "./answers.ts"
import { listOf } from "./lists.ts"
import { baseOf, bodyOf, call, own, param, type Request, seen } from "./request.ts"
import { type Export, type Import, workMillis } from "./state.ts"
import { stampOrNull, zoneFileOf } from "./view.ts"
import { findZone } from "./zones.ts"

const showImport = (request: Request, task: Import) => ({
  id: task.id,
  status: task.status,
  message: task.message,
  zone_id: task.zone_id,
  project_id: task.project_id,
  version: task.status === "PENDING" ? 1 : 2,
  created_at: toMicros(task.created_at),
  updated_at: stampOrNull(task.updated_at),
  links: {
    self: `${baseOf(request)}/v2/zones/tasks/imports/${task.id}`,
    ...(task.zone_id === null ? {} : { zone: `${baseOf(request)}/v2/zones/${task.zone_id}` })
  }
})

const showExport = (request: Request, task: Export) => {
  const { now } = request.incoming
  const self = `${baseOf(request)}/v2/zones/tasks/exports/${task.id}`
  const done = task.ready_from <= now
  return {
    id: task.id,
    status: done ? "COMPLETE" : "PENDING",
    message: null,
    location: done ? `designate://v2/zones/tasks/exports/${task.id}/export` : null,
    zone_id: task.zone_id,
    project_id: task.project_id,
    version: done ? 2 : 1,
    created_at: toMicros(task.created_at),
    updated_at: done ? toMicros(task.ready_from) : null,
    links: { self, ...(done ? { export: `${self}/export` } : {}) }
  }
}

const listed = (collection: string) => ({
  collection,
  filters: ["status", "message", "zone_id"],
  sortKeys: ["created_at", "id", "updated_at"]
})

/** A zone file as text, or as JSON. */
const fileOf = (request: Request): Step<string> => {
  const { body, headers } = request.incoming
  const type = headers["content-type"] ?? ""
  if (/^text\/dns\b/i.test(type)) return Result.succeed(new TextDecoder().decode(body))
  return /^application\/json\b/i.test(type)
    ? Result.map(bodyOf(request), (_) => stringAt(_, "zonefile") ?? "")
    : refuse(415, "unsupported_content_type", "Content-type must be text/dns")
}

/** A task that creates a new zone: an import never changes an existing zone. */
const createImport = (request: Request): Step<Answer> =>
  Result.map(fileOf(request), (text) => {
    const { now } = request.incoming
    const task: Import = {
      id: randomUUID(),
      project_id: request.projectId,
      text,
      status: "PENDING",
      message: null,
      zone_id: null,
      created_at: now,
      updated_at: null,
      ready_from: now + workMillis
    }
    request.designate.imports[task.id] = task
    const shown = showImport(request, task)
    return json(202, shown, { location: shown.links.self })
  })

const createExport = (request: Request): Step<Answer> =>
  Result.map(findZone(request), (zone) => {
    const { now } = request.incoming
    const task: Export = {
      id: randomUUID(),
      project_id: request.projectId,
      zone_id: zone.id,
      created_at: now,
      ready_from: now + workMillis
    }
    request.designate.exports[task.id] = task
    const shown = showExport(request, task)
    return json(202, shown, { location: shown.links.self })
  })

const ownImport = (request: Request): Step<Import> =>
  own(request, request.designate.imports, param(request, "import_id"), "ZoneImport", "zone_import")

const ownExport = (request: Request): Step<Export> =>
  own(request, request.designate.exports, param(request, "export_id"), "ZoneExport", "zone_export")

const download = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const task = yield* ownExport(request)
    const zone = request.designate.zones[task.zone_id]
    if (zone === undefined || showExport(request, task).location === null) {
      return yield* refuse(400, "bad_request", "Zone can not be exported synchronously")
    }
    return { status: 200, headers: { "content-type": "text/dns" }, body: zoneFileOf(request.designate, zone) }
  })

export const taskRoutes: Routes = {
  // Abandoning a zone is an administrator's call.
  "POST /v2/zones/:zone_id/tasks/abandon": call((request) =>
    request.scope.admin
      ? Result.map(own(request, request.designate.zones, param(request, "zone_id"), "Zone", "zone"), ({ id }) => {
          delete request.designate.zones[id]
          return empty(204)
        })
      : policyRefused
  ),
  "GET /v2/zones/tasks/imports": call((request) =>
    listOf(request, seen(request, request.designate.imports, showImport), listed("imports"))
  ),
  "POST /v2/zones/tasks/imports": call(createImport),
  "GET /v2/zones/tasks/imports/:import_id": call((request) =>
    Result.map(ownImport(request), (_) => json(200, showImport(request, _)))
  ),
  "DELETE /v2/zones/tasks/imports/:import_id": call((request) =>
    Result.map(ownImport(request), ({ id }) => {
      delete request.designate.imports[id]
      return empty(204)
    })
  ),
  "POST /v2/zones/:zone_id/tasks/export": call(createExport),
  "GET /v2/zones/tasks/exports": call((request) =>
    listOf(request, seen(request, request.designate.exports, showExport), listed("exports"))
  ),
  "GET /v2/zones/tasks/exports/:export_id": call((request) =>
    Result.map(ownExport(request), (_) => json(200, showExport(request, _)))
  ),
  "GET /v2/zones/tasks/exports/:export_id/export": call(download, "text/dns"),
  "DELETE /v2/zones/tasks/exports/:export_id": call((request) =>
    Result.map(ownExport(request), ({ id }) => {
      delete request.designate.exports[id]
      return empty(204)
    })
  )
}
