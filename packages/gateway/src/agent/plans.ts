import { maxPlans, type Plan, planLives, Plans } from "@portico/agent/plans/Plans"
import type { Agent } from "@portico/agent/CurrentAgent"
import { sealWith } from "@portico/domain/seal"
import { type AgentPlanRef, AgentPlans } from "@portico/store/AgentPlans"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { DateTime, Effect, Layer, Option, Predicate, Schema } from "effect"
import { randomUUID } from "node:crypto"

/** A check of the shape. Only the gateway has the key that seals plans, so the rest of the value is as it wrote it. */
const isPlan = (value: unknown): value is Plan => Predicate.isReadonlyObject(value) && Predicate.isString(value["tool"])
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown.pipe(Schema.refine(isPlan))))

/** Plans in the store. Their content is sealed, because arguments can hold secrets. */
export const PlansLive = Layer.effect(
  Plans,
  Effect.gen(function* () {
    const plans = yield* AgentPlans
    const seal = sealWith(yield* tenantKeys, "portico/agent-plans")
    const refOf = ({ caller }: Agent, plan_id: string): AgentPlanRef => ({
      plan_id,
      project_id: caller.tenant?.projectId ?? "",
      user_id: caller.userId
    })

    return Plans.of({
      keep: Effect.fnUntraced(function* (agent, plan) {
        const ref = refOf(agent, `plan-${randomUUID()}`)
        const sealed = seal.close(ref.plan_id, Buffer.from(JSON.stringify(plan), "utf8"))
        const expires = yield* plans.insert({ ...ref, sealed }, planLives, maxPlans)
        return expires && { id: ref.plan_id, expiresAt: DateTime.formatIso(expires) }
      }),
      find: Effect.fnUntraced(function* (agent, id) {
        const row = yield* plans.find(refOf(agent, id))
        if (row === undefined) return undefined
        const text = seal.open(row.plan_id, row.sealed)?.toString("utf8")
        const plan = text === undefined ? undefined : Option.getOrUndefined(decode(text))
        return plan && { plan, state: row.ended ? "ended" : row.taken_at === null ? "open" : "taken" }
      }),
      take: (agent, id) => plans.take(refOf(agent, id)),
      end: (agent, id) => plans.end(refOf(agent, id))
    })
  })
)
