import { repr } from "../python.ts"
import type { Answer } from "../Wire.ts"
import type { Image, Visibility } from "./state.ts"
import { type Request, refuses, webob } from "./request.ts"

const visibilities: ReadonlyArray<Visibility> = ["community", "public", "private", "shared"]
const diskFormats = ["ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop"]
const containerFormats = ["ami", "ari", "aki", "bare", "ovf", "ova", "docker", "compressed"]

/** Read-only properties. */
export const readOnly = [
  "created_at",
  "updated_at",
  "status",
  "checksum",
  "os_hash_algo",
  "os_hash_value",
  "size",
  "virtual_size",
  "direct_url",
  "self",
  "file",
  "schema",
  "id",
  "stores"
]

/** Reserved names, and the prefix of Glance's internal properties. */
export const reservedFor = (key: string): boolean =>
  ["location", "deleted", "deleted_at"].includes(key) || key.startsWith("os_glance")

/** The base properties; all others are custom. */
export const base = [
  "name",
  "visibility",
  "owner",
  "disk_format",
  "container_format",
  "min_disk",
  "min_ram",
  "protected",
  "os_hidden",
  "tags"
]

/** Glance appends the part of the schema to the message. */
export const refusedBySchema = (request: Request, key: string, why: string): Answer =>
  webob(request, 400, `Provided object does not match schema 'image': ${why}\n\nFailed validating property '${key}'`)

/** The schema's message for an invalid value. */
const flawOf = (key: string, value: unknown): string => {
  const known = choices[key]
  if (known !== undefined) return `${repr(value)} is not one of ${repr(known)}`
  if (typeof value === "string" && value.length > 255) return `${repr(value)} is too long`
  return `${repr(value)} is not of type ${typesOf[key] ?? "'string'"}`
}

const choices: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  disk_format: [null, ...diskFormats],
  container_format: [null, ...containerFormats],
  visibility: visibilities
}

const typesOf: Readonly<Record<string, string>> = {
  name: "'null', 'string'",
  owner: "'null', 'string'",
  min_disk: "'integer'",
  min_ram: "'integer'",
  protected: "'boolean'",
  os_hidden: "'boolean'",
  tags: "'array'"
}

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value) && value >= 0

export const isTag = (value: unknown): value is string => typeof value === "string" && value.length <= 255

/** The default maximum number of tags of an image. */
export const tagQuota = 128

/** Writes one property, or returns the refusal. An unknown name is a custom property, whose value is text. */
export const write = (request: Request, image: Image, key: string, value: unknown): Answer | undefined => {
  const { admin, projectId } = request.scope
  const bad = () => refusedBySchema(request, key, flawOf(key, value))
  const nullable = (_: unknown): _ is string | null => _ === null || typeof _ === "string"
  if (key === "name") {
    if (!nullable(value) || (value?.length ?? 0) > 255) return bad()
    image.name = value
  } else if (key === "visibility") {
    const visibility = visibilities.find((_) => _ === value)
    if (visibility === undefined) return bad()
    if (visibility === "public" && !admin) return refuses(request, "publicize_image")
    image.visibility = visibility
  } else if (key === "owner") {
    if (typeof value !== "string") return bad()
    if (value !== projectId && !admin) {
      return webob(request, 403, `You are not permitted to create images owned by '${value}'.`)
    }
    image.owner = value
  } else if (key === "disk_format" || key === "container_format") {
    const formats = key === "disk_format" ? diskFormats : containerFormats
    if (!nullable(value) || (value !== null && !formats.includes(value))) return bad()
    if (image.status !== "queued") {
      return webob(request, 403, `Attribute ${key} can be only replaced for a queued image.`)
    }
    image[key] = value
  } else if (key === "min_disk" || key === "min_ram") {
    if (!isCount(value)) return bad()
    image[key] = value
  } else if (key === "protected" || key === "os_hidden") {
    if (typeof value !== "boolean") return bad()
    image[key] = value
  } else if (key === "tags") {
    if (!Array.isArray(value) || !value.every(isTag)) return bad()
    const tags = [...new Set(value)]
    if (tags.length > tagQuota) {
      return webob(
        request,
        413,
        `The limit has been exceeded on the number of allowed image tags. Attempted: ${tags.length}, Maximum: ${tagQuota}`
      )
    }
    image.tags = tags
  } else {
    if (typeof value !== "string") return bad()
    image.properties = { ...image.properties, [key]: value }
  }
  return undefined
}
