import { parentOf } from "@portico/contract/Policy"
import type { CredentialRow } from "@portico/store/Credentials"
import { isOccupied, type Occupants, OrganisationUnits, type UnitRow } from "@portico/store/OrganisationUnits"
import { pageIn } from "./Pages.ts"
import { DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory, MemoryChanges } from "./Memory.ts"

export const layer = Layer.effect(
  OrganisationUnits,
  Effect.gen(function* () {
    const { credentials, organisationUnits, policies } = yield* Memory
    const changes = yield* MemoryChanges
    const key = (projectId: string, path: string) => `${projectId}/${path}`
    const of = (projectId: string) => [...organisationUnits.values()].filter((_) => _.project_id === projectId)
    const records = (projectId: string) => [...credentials.values()].filter((_) => _.project_id === projectId)
    const member = (projectId: string, id: string) =>
      records(projectId).find(
        (_) =>
          _.state !== "revoked" &&
          _.state !== "minting" &&
          (_.kind === "member" ? _.user_id === id : _.credential_id === id)
      )

    const occupants = (projectId: string, path: string): Occupants => ({
      units: of(projectId).filter((_) => _.parent === path).length,
      members: records(projectId).filter((_) => _.ou === path && _.state !== "revoked").length,
      policy: policies.has(key(projectId, path))
    })

    const moved = Effect.fnUntraced(function* (row: CredentialRow, ou: string | null, from?: string) {
      const rotated = records(row.project_id).filter(
        (_) =>
          _.state !== "revoked" &&
          (_.rotates === row.credential_id || _.credential_id === row.rotates) &&
          (from === undefined || _.ou === from)
      )
      for (const one of [row, ...rotated]) {
        credentials.set(one.credential_id, { ...one, ou })
        yield* changes.tell(one.user_id)
      }
      return { ...row, ou }
    })

    return OrganisationUnits.of({
      insert: Effect.fnUntraced(function* ({ created_by, path, project_id }) {
        const created_at = yield* DateTime.now
        const parent = parentOf(path) ?? null
        if (parent !== null && !organisationUnits.has(key(project_id, parent))) return "orphan"
        if (organisationUnits.has(key(project_id, path))) return "taken"
        const row: UnitRow = { project_id, path, parent, id: randomUUID(), created_at, created_by }
        organisationUnits.set(key(project_id, path), row)
        return row
      }),
      exists: (projectId, path) => Effect.sync(() => organisationUnits.has(key(projectId, path))),
      list: (projectId, page) => Effect.sync(() => pageIn(of(projectId), (_) => _.id, page)),
      remove: (projectId, path) =>
        Effect.sync(() => {
          const row = organisationUnits.get(key(projectId, path))
          if (row === undefined) return undefined
          const held = occupants(projectId, path)
          if (isOccupied(held)) return held
          organisationUnits.delete(key(projectId, path))
          return row
        }),
      member: (projectId, id) => Effect.sync(() => member(projectId, id)),
      place: Effect.fnUntraced(function* (projectId, id, path) {
        if (!organisationUnits.has(key(projectId, path))) return "no unit"
        const row = member(projectId, id)
        return row === undefined ? undefined : yield* moved(row, path)
      }),
      takeOut: Effect.fnUntraced(function* (projectId, id, path) {
        const row = member(projectId, id)
        return row?.ou === path ? yield* moved(row, null, path) : undefined
      }),
      removeAll: (projectId) =>
        Effect.sync(() => {
          for (const { path } of of(projectId)) organisationUnits.delete(key(projectId, path))
          for (const [name, { project_id }] of policies) if (project_id === projectId) policies.delete(name)
        })
    })
  })
)
