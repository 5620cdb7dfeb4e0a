import { type JsonObject, objectAt } from "../Json.ts"
import { json, type Routes } from "../Wire.ts"
import { imageRoute } from "./request.ts"
import { image, member, task } from "./schemas/images.ts"
import { namespace, object, property, resourceType, tag } from "./schemas/metadefs.ts"

const text = { type: "string" }
const pages = { first: text, next: text }
const describedBy = { rel: "describedby", href: "{schema}" }
const pageLinks = [
  { rel: "first", href: "{first}" },
  { rel: "next", href: "{next}" }
]

/** The schema of a list; what its items define moves up to it. */
const listOf = (name: string, { definitions, ...item }: JsonObject, paged = true, asRecord = false): JsonObject => ({
  name,
  properties: {
    [name]: asRecord ? { type: "object", additionalProperties: item } : { type: "array", items: item },
    ...(paged ? pages : {}),
    schema: text
  },
  links: [...(paged ? pageLinks : []), describedBy],
  ...(definitions === undefined ? {} : { definitions })
})

/** A list of tasks shows no input, result and message. */
const unlisted = ["input", "result", "message"]

const partialTask: JsonObject = {
  name: "task",
  properties: Object.fromEntries(
    Object.entries(objectAt(task, "properties")).filter(([key]) => !unlisted.includes(key))
  )
}

/** By path below `/v2/schemas`. */
const schemas: Readonly<Record<string, JsonObject>> = {
  image,
  images: listOf("images", image),
  member,
  members: listOf("members", member, false),
  task,
  tasks: listOf("tasks", partialTask, false),
  "metadefs/namespace": namespace,
  "metadefs/namespaces": listOf("namespaces", namespace),
  "metadefs/object": object,
  "metadefs/objects": listOf("objects", object),
  "metadefs/property": property,
  "metadefs/properties": listOf("properties", { ...property, required: ["type", "title"] }, true, true),
  "metadefs/resource_type": resourceType,
  "metadefs/resource_types": listOf("resource_type_associations", resourceType),
  "metadefs/tag": tag,
  "metadefs/tags": listOf("tags", tag)
}

/** What the fields of the service's documents are, for clients that ask before they write. */
export const schemaRoutes: Routes = Object.fromEntries(
  Object.entries(schemas).map(([path, schema]) => [`GET /v2/schemas/${path}`, imageRoute(() => json(200, schema))])
)
