import { empty, type Answer, type Routes } from "../Wire.ts"
import { contentOf, type Image } from "./state.ts"
import { type Request, done, imageRoute, memberRoute, ofImage, ofOwnImage, unreadable, webob } from "./request.ts"

/** The content type is read before the image is looked up. */
const upload = (request: Request): Answer =>
  request.headers["content-type"] === "application/octet-stream" ? store(request) : unreadable(request)

const store = ofOwnImage("upload_image", (request, image) => {
  if (image.status !== "queued") {
    return webob(request, 409, `Image status transition from ${image.status} to saving is not allowed`)
  }
  if (image.disk_format === null || image.container_format === null) {
    return webob(request, 400, "Properties disk_format, container_format must be set prior to saving data.")
  }
  const { body, now } = request
  Object.assign(image, contentOf(body))
  image.status = "active"
  image.updated_at = now
  return done
})

/** The bytes between two offsets, both included; undefined for a range that cannot be served. */
const rangeOf = (header: string, size: number): readonly [number, number] | undefined => {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (from === "" && to === "") return undefined
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1)
  return start > end ? undefined : [start, end]
}

const download = (request: Request, image: Image): Answer => {
  if (image.status === "deactivated" && !request.scope.admin) {
    return webob(request, 403, "The requested image has been deactivated. Image data download is forbidden.")
  }
  if (image.data === null) return empty(204)
  const bytes = Buffer.from(image.data, "base64")
  const type = { "content-type": "application/octet-stream", "accept-ranges": "bytes" }
  const range = request.headers["range"]
  if (range === undefined) {
    const headers = { ...type, "content-md5": image.checksum ?? "", "content-length": String(bytes.length) }
    return { status: 200, headers, body: new Uint8Array(bytes) }
  }
  const asRange = rangeOf(range, bytes.length)
  if (asRange === undefined) return webob(request, 416, `Invalid range: ${range}`)
  const [start, end] = asRange
  const part = new Uint8Array(bytes.subarray(start, end + 1))
  const place = { "content-range": `bytes ${start}-${end}/${bytes.length}`, "content-length": String(part.length) }
  return { status: 206, headers: { ...type, ...place }, body: part }
}

export const dataRoutes: Routes = {
  "PUT /v2/images/:id/file": memberRoute("upload_image", upload),
  "GET /v2/images/:id/file": imageRoute(ofImage(download))
}
