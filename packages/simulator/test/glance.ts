import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"

export const v21 = "application/openstack-images-v2.1-json-patch"
export const v20 = "application/openstack-images-v2.0-json-patch"

export const glance = (token: string) => {
  const call = (method: string, path: string, json?: unknown) => ask(method, `/image/v2${path}`, { token, json })
  return {
    get: (path: string) => call("GET", path),
    post: (path: string, json: unknown) => call("POST", path, json),
    put: (path: string, json?: unknown) => call("PUT", path, json),
    delete: (path: string) => call("DELETE", path),
    patch: (id: string, changes: unknown, type = v21) =>
      ask("PATCH", `/image/v2/images/${id}`, { token, json: changes, headers: { "content-type": type } }),
    upload: (id: string, body: string, type = "application/octet-stream") =>
      ask("PUT", `/image/v2/images/${id}/file`, { token, body, headers: { "content-type": type } }),
    image: (more: object = {}) =>
      Effect.map(
        call("POST", "/images", { name: "mine", disk_format: "raw", container_format: "bare", ...more }),
        (_) => String(_.json.id)
      ),
    ids: (query: string) =>
      Effect.map(call("GET", `/images${query}`), (_) => _.json.images.map((image: { id: string }) => image.id))
  }
}

export const tenant = (name: string) => Effect.map(tenantToken(name), (_) => ({ ..._, ...glance(_.token) }))

export const admin = Effect.map(controlToken, glance)
