import { AgentSettings, type AgentSettingsRow, deactivationLease, deactivations } from "@portico/store/AgentSettings"
import { type CredentialRow, everybodyIn } from "@portico/store/Credentials"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { madeBelowIn } from "./makers.ts"
import { Memory, MemoryChanges } from "./Memory.ts"
import { Table } from "./transaction.ts"

export const layer = Layer.effect(
  AgentSettings,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { agentSettings, credentials } = memory
    const changes = yield* MemoryChanges
    /** When the user of an ended credential is to be deactivated. */
    const due = new Table<string, number>()
    const unset = (project_id: string, confirm: ReadonlyArray<string>): AgentSettingsRow => ({
      project_id,
      enabled: true,
      confirm,
      updated_at: null,
      updated_by: null,
      ended_at: null,
      ended_by: null
    })
    const put = (row: AgentSettingsRow) =>
      Effect.as(
        Effect.andThen(
          Effect.sync(() => agentSettings.set(row.project_id, row)),
          changes.tell(everybodyIn(row.project_id))
        ),
        row
      )
    const isAgents = (row: CredentialRow, projectId: string) =>
      row.project_id === projectId && row.kind === "mcp" && row.state !== "revoked"

    const find = (projectId: string) => Effect.sync(() => agentSettings.get(projectId))

    return AgentSettings.of({
      find,
      // Its transactions come one after the other.
      findSettled: find,
      put: Effect.fnUntraced(function* ({ project_id, ...settings }) {
        const held = agentSettings.get(project_id) ?? unset(project_id, settings.confirm)
        return yield* put({ ...held, ...settings, updated_at: yield* DateTime.now })
      }),
      end: Effect.fnUntraced(function* (projectId, { by, confirm }) {
        const at = yield* DateTime.now
        const roots = [...credentials.values()].filter((_) => isAgents(_, projectId)).map((_) => _.credential_id)
        const ids = new Set([...roots, ...roots.flatMap((_) => [...madeBelowIn(memory, _)])])
        const revoked = [...credentials.values()]
          .filter((_) => ids.has(_.credential_id) && _.kind !== "member" && _.state !== "revoked")
          .toSorted((a, b) => (a.credential_id < b.credential_id ? -1 : 1))
          .map((row): CredentialRow => {
            const ended = row.revokes_at === null ? at : DateTime.min(row.revokes_at, at)
            return { ...row, state: "revoked", revoked_at: row.revoked_at ?? ended }
          })
        for (const row of revoked) {
          credentials.set(row.credential_id, row)
          if (row.mint_ends === null) due.set(row.credential_id, DateTime.toEpochMillis(at))
        }
        const held = agentSettings.get(projectId) ?? unset(projectId, confirm)
        yield* put({ ...held, ended_at: at, ended_by: by })
        return { at, revoked }
      }),
      claimDeactivations: Effect.map(Clock.currentTimeMillis, (now) =>
        [...due]
          .filter(([, at]) => at <= now)
          .slice(0, deactivations)
          .flatMap(([id]) => {
            due.set(id, now + Duration.toMillis(deactivationLease))
            return credentials.get(id) ?? []
          })
      ),
      deactivated: (credentialId) => Effect.sync(() => void due.delete(credentialId))
    })
  })
)
