import { type AgentPlanRef, type AgentPlanRow, AgentPlans, pruneLimit } from "@portico/store/AgentPlans"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  AgentPlans,
  Effect.map(Memory, ({ agentPlans: plans }) => {
    const hasExpired = ({ expires_at }: AgentPlanRow, now: number) => DateTime.toEpochMillis(expires_at) <= now
    const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)
    const found = ({ plan_id, project_id, user_id }: AgentPlanRef, now: number) => {
      const row = plans.get(plan_id)
      const isTheirs = row?.project_id === project_id && row.user_id === user_id
      return isTheirs && !hasExpired(row, now) ? row : undefined
    }

    return AgentPlans.of({
      insert: (plan, lives, most) =>
        withNow((now) => {
          const isTheirs = (_: AgentPlanRow) => _.project_id === plan.project_id && _.user_id === plan.user_id
          const held = [...plans.values()].filter((_) => isTheirs(_) && !hasExpired(_, now))
          if (held.length >= most) return undefined
          const expires_at = DateTime.makeUnsafe(now + Duration.toMillis(lives))
          plans.set(plan.plan_id, { ...plan, taken_at: null, ended: false, expires_at })
          return expires_at
        }),
      find: (plan) => withNow((now) => found(plan, now)),
      take: (plan) =>
        withNow((now) => {
          const row = found(plan, now)
          if (row === undefined || row.taken_at !== null || row.ended) return false
          plans.set(row.plan_id, { ...row, taken_at: DateTime.makeUnsafe(now) })
          return true
        }),
      end: (plan) =>
        withNow((now) => {
          const row = found(plan, now)
          if (row !== undefined) plans.set(row.plan_id, { ...row, ended: true })
        }),
      prune: withNow((now) => {
        const old = [...plans.values()].filter((_) => hasExpired(_, now)).slice(0, pruneLimit)
        for (const { plan_id } of old) plans.delete(plan_id)
        return old.length
      })
    })
  })
)
