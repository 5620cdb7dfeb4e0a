import type { Caller } from "@portico/contract/Access"
import { confirmedByDefault } from "@portico/contract/Agents"
import { Forbidden, Unauthorized } from "@portico/contract/Failures"
import { AgentSettings, type AgentSettingsRow } from "@portico/store/AgentSettings"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { Records } from "./Records.ts"

/** The upper bound, also when a notification is lost; replicas learn of changes at once. */
const timeToLive = Duration.seconds(1)
const capacity = 50_000

/** What a tenant decided about its agents. */
export interface Decisions extends Pick<AgentSettingsRow, "enabled" | "confirm"> {
  /** When all agents were last ended, in milliseconds since the epoch; null when they never were. */
  readonly endedAt: number | null
}

export const decisionsOf = (row: AgentSettingsRow | undefined): Decisions => ({
  enabled: row?.enabled ?? true,
  confirm: row?.confirm ?? confirmedByDefault,
  endedAt: row?.ended_at == null ? null : DateTime.toEpochMillis(row.ended_at)
})

/** Whether the caller's login or credential existed when all agents of its tenant were ended. */
export const isEnded = ({ issuedAt }: Caller, { endedAt }: Pick<Decisions, "endedAt">): boolean =>
  endedAt !== null && (issuedAt === undefined || issuedAt <= endedAt)

/**
 * Whether a tenant's agents may use the agent plane. A decision is cached for a second at most, and until the store
 * notifies this process of a change. While notifications cannot be received, nothing is cached.
 */
export class Admission extends Context.Service<
  Admission,
  {
    decided(projectId: string): Effect.Effect<Decisions>
    /**
     * 403 when the tenant disabled its agents. 401 when all of its agents were ended after the caller's login, or after
     * the caller's credential was made; also when that time is unknown.
     */
    admit(caller: Caller): Effect.Effect<void, Forbidden<"agents_disabled"> | Unauthorized<"agents_ended">>
  }
>()("portico/domain/access/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const settings = yield* AgentSettings
      const records = yield* Records
      const clock = yield* Clock.Clock
      const known = new TtlCache<{ readonly decisions: Decisions; readonly generation: number }>(capacity)
      const lookups = yield* singleFlight<Decisions, never>()

      const lookup = (projectId: string) => Effect.map(settings.find(projectId), decisionsOf)
      const cachedLookup = Effect.fnUntraced(function* (projectId: string, generation: number) {
        const asked = clock.currentTimeMillisUnsafe()
        const decisions = yield* lookup(projectId)
        known.keep(projectId, { decisions, generation }, asked + Duration.toMillis(timeToLive))
        return decisions
      })

      const decided = (projectId: string) => {
        const generation = records.generation()
        if (generation === undefined) return lookup(projectId)
        const held = known.get(projectId, clock.currentTimeMillisUnsafe())
        return held !== undefined && held.generation === generation
          ? Effect.succeed(held.decisions)
          : // A look-up of an earlier generation may have missed a change.
            lookups.get(`${generation} ${projectId}`, cachedLookup(projectId, generation))
      }

      return Admission.of({
        decided,
        admit: Effect.fnUntraced(function* (caller) {
          if (caller.tenant === null) return
          const decisions = yield* decided(caller.tenant.projectId)
          if (isEnded(caller, decisions)) return yield* Unauthorized.agentsEnded()
          if (!decisions.enabled) return yield* Forbidden.agentsDisabled()
        })
      })
    })
  )
}
