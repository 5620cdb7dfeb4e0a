import { publicImageId } from "@portico/simulator/glance/state"
import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"

export const small = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: "none" }

export const nova = (token: string, version = "2.90") => {
  const call = (method: string, path: string, json?: unknown) =>
    ask(method, `/compute/v2.1${path}`, { token, json, headers: { "openstack-api-version": `compute ${version}` } })
  return {
    token,
    get: (path: string) => call("GET", path),
    post: (path: string, json: unknown) => call("POST", path, json),
    put: (path: string, json: unknown) => call("PUT", path, json),
    delete: (path: string) => call("DELETE", path),
    server: (more: object = {}) =>
      Effect.map(call("POST", "/servers", { server: { ...small, ...more } }), (_) => String(_.json.server.id))
  }
}

export const tenant = (name: string) => Effect.map(tenantToken(name), (_) => ({ ..._, ...nova(_.token) }))

export const admin = Effect.map(controlToken, (_) => nova(_))
