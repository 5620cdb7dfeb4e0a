import { fixtures } from "@portico/simulator/Fixtures"
import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"

export const cinder = (tenant: { readonly projectId: string; readonly token: string }) => {
  const call = (method: string, path: string, json?: unknown) =>
    ask(method, `/volume/v3/${tenant.projectId}${path}`, { token: tenant.token, json })
  return {
    get: (path: string) => call("GET", path),
    post: (path: string, json: unknown) => call("POST", path, json),
    put: (path: string, json: unknown) => call("PUT", path, json),
    delete: (path: string) => call("DELETE", path),
    volume: (size: number) =>
      Effect.map(call("POST", "/volumes", { volume: { size } }), (_) => String(_.json.volume.id))
  }
}

export const tenant = (name: string) => Effect.map(tenantToken(name), (_) => ({ ..._, ...cinder(_) }))

export const admin = Effect.map(controlToken, (token) => cinder({ projectId: fixtures.adminProjectId, token }))
