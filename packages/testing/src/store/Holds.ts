import { type CredentialRow, everybodyIn, type HoldReason } from "@portico/store/Credentials"
import { Holds, idsOf } from "@portico/store/Holds"
import type { TenantEntry } from "@portico/store/Tenants"
import { Clock, DateTime, Effect, Layer } from "effect"
import { Memory, MemoryChanges } from "./Memory.ts"

export const layer = Layer.effect(
  Holds,
  Effect.gen(function* () {
    const { credentials, tenants } = yield* Memory
    const changes = yield* MemoryChanges
    const of = (projectId: string) => [...credentials.values()].filter((_) => _.project_id === projectId)
    const put = (row: CredentialRow) => {
      credentials.set(row.credential_id, row)
      return row
    }
    const notify = (projectId: string) => changes.tell(everybodyIn(projectId))

    return Holds.of({
      hold: Effect.fnUntraced(function* (projectId, reason) {
        const now = yield* Clock.currentTimeMillis
        const tenant = tenants.get(projectId)
        if (tenant === undefined) return "absent"
        if (isChanging(tenant, now)) return "changing"
        tenants.set(projectId, { ...tenant, closing: [...without(tenant.closing, reason), reason] })
        for (const row of of(projectId)) {
          if (row.kind === "member" || row.state === "revoked" || row.held.includes(reason)) continue
          put({ ...row, held: [...row.held, reason], state: row.state === "active" ? "suspended" : row.state })
        }
        yield* notify(projectId)
        return "held"
      }),
      release: Effect.fnUntraced(function* (projectId, reason) {
        const tenant = tenants.get(projectId)
        if (tenant === undefined || !tenant.closing.includes(reason)) return undefined
        tenants.set(projectId, { ...tenant, closing: without(tenant.closing, reason) })
        const restored = of(projectId)
          .filter((_) => _.kind !== "member" && _.held.includes(reason))
          .map((row) => {
            const held = without(row.held, reason)
            return put({ ...row, held, state: row.state === "suspended" && held.length === 0 ? "active" : row.state })
          })
        yield* notify(projectId)
        return idsOf(restored)
      })
    })
  })
)

const without = (reasons: ReadonlyArray<HoldReason>, reason: HoldReason): ReadonlyArray<HoldReason> =>
  reasons.filter((_) => _ !== reason)

const isChanging = ({ change_ends }: TenantEntry, now: number): boolean =>
  change_ends !== null && DateTime.toEpochMillis(change_ends) > now
