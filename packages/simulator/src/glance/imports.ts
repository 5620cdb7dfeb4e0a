import { createHash, randomUUID } from "node:crypto"
import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import type { Image, Task } from "./state.ts"
import {
  type Asked,
  type Answering,
  imageRoute,
  memberRoute,
  ofImage,
  ofOwnImage,
  refuses,
  stamp,
  webob
} from "./webob.ts"

export const importMethods: ReadonlyArray<string> = ["glance-direct", "web-download", "copy-image", "glance-download"]

/** Bytes wait at the door until they are imported; they may be put there again. */
const stage = (asked: Asked): Answer =>
  asked.headers["content-type"] === "application/octet-stream"
    ? keep(asked)
    : webob(asked, 415, "The content type must be application/octet-stream.")

const keep = ofOwnImage("modify_image", (asked, image) => {
  if (image.status !== "queued" && image.status !== "uploading") {
    return webob(asked, 409, `Image status transition from ${image.status} to uploading is not allowed`)
  }
  image.data = Buffer.from(asked.body).toString("base64")
  image.status = "uploading"
  image.updated_at = asked.now
  return empty(204)
})

/** What an image must be before each way of import, and what else the way needs. */
const refusal = (asked: Asked, image: Image, name: string, given: ReturnType<typeof objectAt>): Answer | undefined => {
  const status = image.status
  if (name === "copy-image") {
    if (!asked.scope.admin) return refuses(asked, "copy_image")
    return status === "active"
      ? undefined
      : webob(asked, 409, "Only images with status active can be targeted for copying")
  }
  if (status === "active") return webob(asked, 409, "Image with status active cannot be target for import")
  const needed = name === "glance-direct" ? "uploading" : "queued"
  if (status !== needed) {
    return webob(asked, 409, `Image needs to be in '${needed}' state to use '${name}' method`)
  }
  if (image.disk_format === null || image.container_format === null) {
    return webob(asked, 409, "'container_format' and 'disk_format' needs to be set before import")
  }
  const keys = { "web-download": ["uri"], "glance-download": ["glance_region", "glance_image_id"] }[name] ?? []
  const missing = keys.find((_) => stringAt(given, _) === undefined)
  return missing === undefined ? undefined : webob(asked, 400, `Import method '${name}' needs '${missing}'.`)
}

/** The image has its bytes at once. From elsewhere nothing is fetched: where they would come from stands in for them. */
const finish = ({ now }: Asked, image: Image, source: string | undefined): void => {
  const bytes = source === undefined ? Buffer.from(image.data ?? "", "base64") : Buffer.from(source)
  image.data = bytes.toString("base64")
  image.size = bytes.length
  image.checksum = createHash("md5").update(bytes).digest("hex")
  image.os_hash_value = createHash("sha512").update(bytes).digest("hex")
  image.status = "active"
  image.updated_at = now
}

const noted = ({ now, scope, world }: Asked, type: string, input: Task["input"]): Task => {
  const task: Task = {
    id: randomUUID(),
    type,
    owner: scope.projectId,
    status: "success",
    input,
    created_at: now
  }
  world.glance.tasks[task.id] = task
  return task
}

/** What can be seen of another's is told its state before it is refused. */
const importOne = ofImage((asked, image) => {
  const given = objectAt(asked.json, "method")
  const name = stringAt(given, "name")
  if (name === undefined || !importMethods.includes(name)) {
    return webob(asked, 400, `Unknown import method name '${name ?? ""}'.`)
  }
  const refused = refusal(asked, image, name, given)
  if (refused !== undefined) return refused
  if (!asked.scope.admin && image.owner !== asked.scope.projectId) return refuses(asked, "modify_image")
  const source = stringAt(given, "uri") ?? stringAt(given, "glance_image_id")
  if (name !== "copy-image") finish(asked, image, name === "glance-direct" ? undefined : source)
  noted(asked, "api_image_import", { image_id: image.id, import_req: { method: given } })
  return empty(202)
})

/** A body that names no way at all is refused before the image is looked up. */
const startImport: Answering = (asked) =>
  Object.keys(objectAt(asked.json, "method")).length === 0
    ? webob(asked, 400, "Import request requires a 'method' field.")
    : importOne(asked)

// --- tasks -----------------------------------------------------------------

const show = (task: Task) => ({
  id: task.id,
  type: task.type,
  status: task.status,
  owner: task.owner,
  created_at: stamp(task.created_at),
  updated_at: stamp(task.created_at),
  expires_at: stamp(task.created_at + 48 * 3_600_000),
  self: `/v2/tasks/${task.id}`,
  schema: "/v2/schemas/task"
})

/** The older way of import is for administrators alone. */
const adminRoute = (handler: Answering) =>
  imageRoute((asked) => (asked.scope.admin ? handler(asked) : refuses(asked, "tasks_api_access")))

const createTask: Answering = (asked) => {
  const given = objectAt(asked.json)
  const type = stringAt(given, "type")
  if (type === undefined || !["import", "export", "clone"].includes(type)) {
    return webob(asked, 400, "Provided object does not match schema 'task'.")
  }
  const task = noted(asked, type, objectAt(given, "input"))
  const location = `http://${asked.headers["host"] ?? "localhost"}/image/v2/tasks/${task.id}`
  return json(201, { ...show(task), input: task.input, result: null, message: "" }, { location })
}

const ofTask =
  (handler: (asked: Asked, task: Task) => Answer): Answering =>
  (asked) => {
    const id = asked.params["id"] ?? ""
    const task = asked.world.glance.tasks[id]
    return task === undefined ? webob(asked, 404, `Task not found for task_id ${id}`) : handler(asked, task)
  }

const tasksOf = ofOwnImage("get_image_tasks", (asked, image) =>
  json(200, {
    tasks: Object.values(asked.world.glance.tasks)
      .filter((_) => _.input["image_id"] === image.id)
      .map(show)
  })
)

export const importRoutes: Routes = {
  "GET /v2/cache": imageRoute((asked) => refuses(asked, "cache_list")),
  "DELETE /v2/cache": imageRoute((asked) => refuses(asked, "cache_delete")),
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
  "GET /v2/tasks/:id": adminRoute(
    ofTask((_, task) => json(200, { ...show(task), input: task.input, result: null, message: "" }))
  ),
  "DELETE /v2/tasks/:id": adminRoute((asked) =>
    webob(asked, 405, "The method specified is not allowed for this resource.", { allow: "GET" })
  )
}
