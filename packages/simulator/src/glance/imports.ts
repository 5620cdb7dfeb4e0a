import { randomUUID } from "node:crypto"
import { type JsonObject, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, originOf, type Routes } from "../Wire.ts"
import { toSeconds, toSecondsUtc } from "../times.ts"
import { contentOf, type Image, type Task } from "./state.ts"
import {
  type Request,
  type RequestHandler,
  imageRoute,
  memberRoute,
  ofImage,
  ofOwnImage,
  refuses,
  webob
} from "./request.ts"

export const importMethods: ReadonlyArray<string> = ["glance-direct", "web-download", "copy-image", "glance-download"]

/** Staged bytes wait for an import; they can be replaced. */
const stage = (request: Request): Answer =>
  request.headers["content-type"] === "application/octet-stream"
    ? keep(request)
    : webob(request, 415, "The content type must be application/octet-stream.")

const keep = ofOwnImage("modify_image", (request, image) => {
  if (image.status !== "queued" && image.status !== "uploading") {
    return webob(request, 409, `Image status transition from ${image.status} to uploading is not allowed`)
  }
  image.data = Buffer.from(request.body).toString("base64")
  image.status = "uploading"
  image.updated_at = request.now
  return empty(204)
})

/** The required status and the other requirements of each import method. */
const refusal = (request: Request, image: Image, name: string, given: JsonObject): Answer | undefined => {
  const status = image.status
  if (name === "copy-image") {
    if (!request.scope.admin) return refuses(request, "copy_image")
    return status === "active"
      ? undefined
      : webob(request, 409, "Only images with status active can be targeted for copying")
  }
  if (status === "active") return webob(request, 409, "Image with status active cannot be target for import")
  const needed = name === "glance-direct" ? "uploading" : "queued"
  if (status !== needed) {
    return webob(request, 409, `Image needs to be in '${needed}' state to use '${name}' method`)
  }
  if (image.disk_format === null || image.container_format === null) {
    return webob(request, 409, "'container_format' and 'disk_format' needs to be set before import")
  }
  const keys = { "web-download": ["uri"], "glance-download": ["glance_region", "glance_image_id"] }[name] ?? []
  const missing = keys.find((_) => stringAt(given, _) === undefined)
  return missing === undefined ? undefined : webob(request, 400, `Import method '${name}' needs '${missing}'.`)
}

/** The import is done at once. The simulator fetches nothing: the source's name stands for its bytes. */
const finish = ({ now }: Request, image: Image, source: string | undefined): void => {
  const bytes = source === undefined ? Buffer.from(image.data ?? "", "base64") : Buffer.from(source)
  Object.assign(image, contentOf(bytes))
  image.status = "active"
  image.updated_at = now
}

const noted = ({ now, requestId, scope, world }: Request, type: string, input: Task["input"]): Task => {
  const task: Task = {
    id: randomUUID(),
    type,
    owner: scope.projectId,
    status: "success",
    input,
    created_at: now,
    request_id: requestId,
    user_id: scope.userId
  }
  world.glance.tasks[task.id] = task
  return task
}

/** For another project's visible image, the status is checked before the owner. */
const importOne = ofImage((request, image) => {
  const given = objectAt(request.json, "method")
  const name = stringAt(given, "name")
  if (name === undefined || !importMethods.includes(name)) {
    return webob(request, 400, `Unknown import method name '${name ?? ""}'.`)
  }
  const refused = refusal(request, image, name, given)
  if (refused !== undefined) return refused
  if (!request.scope.admin && image.owner !== request.scope.projectId) return refuses(request, "modify_image")
  const source = stringAt(given, "uri") ?? stringAt(given, "glance_image_id")
  if (name !== "copy-image") finish(request, image, name === "glance-direct" ? undefined : source)
  noted(request, "api_image_import", { image_id: image.id, import_req: { method: given } })
  return empty(202)
})

/** A body without a method is refused before the image is looked up. */
const startImport: RequestHandler = (request) =>
  Object.keys(objectAt(request.json, "method")).length === 0
    ? webob(request, 400, "Import request requires a 'method' field.")
    : importOne(request)

// --- tasks -----------------------------------------------------------------

const show = (task: Task) => ({
  id: task.id,
  type: task.type,
  status: task.status,
  owner: task.owner,
  created_at: toSecondsUtc(task.created_at),
  updated_at: toSecondsUtc(task.created_at),
  expires_at: toSecondsUtc(task.created_at + 48 * 3_600_000),
  self: `/v2/tasks/${task.id}`,
  schema: "/v2/schemas/task"
})

const imageOf = (task: Task): string | null => stringAt(task.input, "image_id") ?? null

/** What a task says beyond the line of a list. */
const more = (task: Task) => ({
  input: task.input,
  result: imageOf(task) === null ? null : { image_id: imageOf(task) },
  message: "",
  image_id: imageOf(task),
  request_id: task.request_id ?? null,
  user_id: task.user_id ?? null
})

/** An image shows the rows of its tasks, with the times of the database. */
const showRow = (task: Task) => {
  const at = (time: number) => `${toSeconds(time)}.000000`
  return {
    id: task.id,
    type: task.type,
    status: task.status,
    owner: task.owner,
    expires_at: at(task.created_at + 48 * 3_600_000),
    created_at: at(task.created_at),
    updated_at: at(task.created_at),
    deleted_at: null,
    deleted: false,
    ...more(task)
  }
}

/** The older tasks API is for administrators only. */
const adminRoute = (handler: RequestHandler) =>
  imageRoute((request) => (request.scope.admin ? handler(request) : refuses(request, "tasks_api_access")))

const createTask: RequestHandler = (request) => {
  const given = objectAt(request.json)
  const type = stringAt(given, "type")
  if (type === undefined || !["import", "export", "clone"].includes(type)) {
    return webob(request, 400, "Provided object does not match schema 'task'.")
  }
  const task = noted(request, type, objectAt(given, "input"))
  const location = `${originOf(request)}/image/v2/tasks/${task.id}`
  return json(201, { ...show(task), ...more(task) }, { location })
}

const ofTask =
  (handler: (request: Request, task: Task) => Answer): RequestHandler =>
  (request) => {
    const id = request.params["id"] ?? ""
    const task = request.world.glance.tasks[id]
    return task === undefined ? webob(request, 404, `Task not found for task_id ${id}`) : handler(request, task)
  }

const tasksOf = ofOwnImage("get_image_tasks", (request, image) =>
  json(200, {
    tasks: Object.values(request.world.glance.tasks)
      .filter((_) => _.input["image_id"] === image.id)
      .map(showRow)
  })
)

export const importRoutes: Routes = {
  "GET /v2/cache": imageRoute((request) => refuses(request, "cache_list")),
  "DELETE /v2/cache": imageRoute((request) => refuses(request, "cache_delete")),
  "PUT /v2/images/:id/stage": memberRoute("modify_image", stage),
  "POST /v2/images/:id/import": memberRoute("modify_image", startImport),
  "GET /v2/images/:id/tasks": imageRoute(tasksOf),
  "GET /v2/info/import": imageRoute(() =>
    json(200, {
      "import-methods": { description: "Import methods available.", type: "array", value: importMethods }
    })
  ),
  "GET /v2/tasks": adminRoute(({ world }) =>
    json(200, {
      tasks: Object.values(world.glance.tasks).map(show),
      first: "/v2/tasks",
      schema: "/v2/schemas/tasks"
    })
  ),
  "POST /v2/tasks": adminRoute(createTask),
  "GET /v2/tasks/:id": adminRoute(ofTask((_, task) => json(200, { ...show(task), ...more(task) }))),
  "DELETE /v2/tasks/:id": adminRoute((request) =>
    webob(request, 405, "The method specified is not allowed for this resource.", { allow: "GET" })
  )
}
