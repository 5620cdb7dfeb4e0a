import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { moment, momentsOf, rowsOf, run, some } from "./rows.ts"

export const AgentPlanRow = Schema.Struct({
  plan_id: Schema.String,
  project_id: Schema.String,
  user_id: Schema.String,
  /** The tool, its arguments and what was shown for them. */
  sealed: Schema.String,
  /** When a process began to carry it out; null before. */
  taken_at: Schema.NullOr(moment),
  /** Whether nothing carries it out any more. */
  ended: Schema.Boolean,
  expires_at: moment
})
export type AgentPlanRow = typeof AgentPlanRow.Type

/** A plan as its agent names it. Another agent's plan does not exist for it. */
export type AgentPlanRef = Pick<AgentPlanRow, "plan_id" | "project_id" | "user_id">

/** The most expired plans that one prune deletes. */
export const pruneLimit = 1000

/** Tool calls of agents that wait for a person's confirmation. */
export class AgentPlans extends Context.Service<
  AgentPlans,
  {
    /**
     * Stores a plan, and returns when it expires. Undefined when the agent has so many already that have not expired;
     * replicas that insert at once can pass the bound by one each.
     */
    insert(
      plan: AgentPlanRef & { readonly sealed: string },
      lives: Duration.Duration,
      most: number
    ): Effect.Effect<DateTime.Utc | undefined>
    /** A plan of this agent that has not expired; otherwise undefined. */
    find(plan: AgentPlanRef): Effect.Effect<AgentPlanRow | undefined>
    /** Takes a plan in order to carry it out. True for one caller, of all replicas. */
    take(plan: AgentPlanRef): Effect.Effect<boolean>
    /** Nothing carries the plan out any more. */
    end(plan: AgentPlanRef): Effect.Effect<void>
    /** Deletes expired plans. Returns how many. */
    readonly prune: Effect.Effect<number>
  }
>()("portico/store/AgentPlans") {
  static readonly layer = Layer.effect(
    AgentPlans,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { byId, first } = rowsOf(AgentPlanRow)
      const { after, now } = momentsOf(sql)
      const its = ({ plan_id, project_id, user_id }: AgentPlanRef) =>
        sql`plan_id = ${plan_id} AND project_id = ${project_id} AND user_id = ${user_id} AND expires_at > ${now}`

      return AgentPlans.of({
        insert: ({ plan_id, project_id, sealed, user_id }, lives, most) =>
          Effect.map(
            first(sql`
              INSERT INTO agent_plans (plan_id, project_id, user_id, sealed, expires_at)
              SELECT ${plan_id}, ${project_id}, ${user_id}, ${sealed}, ${after(lives)}
              WHERE (SELECT count(*) FROM agent_plans
                WHERE project_id = ${project_id} AND user_id = ${user_id} AND expires_at > ${now}) < ${most}
              RETURNING *`),
            (_) => _?.expires_at
          ),
        find: (plan) => byId(plan.plan_id, sql`SELECT * FROM agent_plans WHERE ${its(plan)}`),
        take: (plan) =>
          some(sql`
            UPDATE agent_plans SET taken_at = ${now}
            WHERE ${its(plan)} AND taken_at IS NULL AND NOT ended RETURNING plan_id`),
        end: (plan) => run(sql`UPDATE agent_plans SET ended = true WHERE ${its(plan)}`),
        prune: Effect.map(
          Effect.orDie(sql`
            DELETE FROM agent_plans WHERE plan_id IN (
              SELECT plan_id FROM agent_plans WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${pruneLimit})
            RETURNING plan_id`),
          (_) => _.length
        )
      })
    })
  )
}
