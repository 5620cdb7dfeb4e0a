import { everybodyIn } from "@portico/store/Credentials"
import { ProjectRecords } from "@portico/store/ProjectRecords"
import { DateTime, Effect, Layer } from "effect"
import { Memory, MemoryChanges } from "./Memory.ts"
import { tierRecorder } from "./Tenants.ts"

export const layer = Layer.effect(
  ProjectRecords,
  Effect.gen(function* () {
    const { agentPlans, agentSettings, credentials, tenants, tierChanges } = yield* Memory
    const changes = yield* MemoryChanges
    const of = (projectId: string) => [...credentials.values()].filter((_) => _.project_id === projectId)

    return ProjectRecords.of({
      credentials: (projectId) => Effect.sync(() => of(projectId)),
      end: Effect.fnUntraced(function* (projectId) {
        const now = yield* DateTime.now
        const ended = tenants.get(projectId)
        const gone = tenants.delete(projectId)
        if (ended !== undefined) yield* tierRecorder(tierChanges)(ended.tier, null)
        agentSettings.delete(projectId)
        for (const row of of(projectId)) {
          if (row.kind === "member") credentials.delete(row.credential_id)
          else {
            const revoked_at = row.revoked_at ?? now
            credentials.set(row.credential_id, { ...row, state: "revoked", held: [], revoked_at, ou: null })
          }
        }
        for (const { plan_id, project_id } of agentPlans.values())
          if (project_id === projectId) agentPlans.delete(plan_id)
        yield* changes.tell(everybodyIn(projectId))
        return gone
      })
    })
  })
)
