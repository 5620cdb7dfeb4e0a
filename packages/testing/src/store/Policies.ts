import { lineageOf } from "@portico/contract/Policy"
import { everybodyIn } from "@portico/store/Credentials"
import { pageIn } from "./Pages.ts"
import { Policies, type PolicyRow } from "@portico/store/Policies"
import { DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory, MemoryChanges } from "./Memory.ts"

export const layer = Layer.effect(
  Policies,
  Effect.gen(function* () {
    const { organisationUnits, policies } = yield* Memory
    const changes = yield* MemoryChanges
    const key = (projectId: string, ou: string) => `${projectId}/${ou}`
    const notify = (projectId: string) => changes.tell(everybodyIn(projectId))

    return Policies.of({
      put: Effect.fnUntraced(function* (policy) {
        const { ou, project_id } = policy
        const at = yield* DateTime.now
        if (ou !== "" && !organisationUnits.has(key(project_id, ou))) return undefined
        const held = policies.get(key(project_id, ou))
        const row: PolicyRow = {
          ...policy,
          id: held?.id ?? randomUUID(),
          created_at: held?.created_at ?? at,
          updated_at: at
        }
        policies.set(key(project_id, ou), row)
        yield* notify(project_id)
        return row
      }),
      remove: Effect.fnUntraced(function* (projectId, ou) {
        const row = policies.get(key(projectId, ou))
        policies.delete(key(projectId, ou))
        yield* notify(projectId)
        return row
      }),
      list: (projectId, page) =>
        Effect.sync(() =>
          pageIn(
            [...policies.values()].filter((_) => _.project_id === projectId),
            (_) => _.id,
            page
          )
        ),
      along: (projectId, ou) => Effect.sync(() => lineageOf(ou).flatMap((_) => policies.get(key(projectId, _)) ?? []))
    })
  })
)
