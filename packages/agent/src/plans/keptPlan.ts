import { Effect } from "effect"
import type { Agent } from "../CurrentAgent.ts"
import type { Answer } from "../tools/Tool.ts"
import { tooLarge, tooMany } from "./answers.ts"
import { maxPlan, type Plan, Plans, type StoredPlan } from "./Plans.ts"

/** Stores a plan, or answers why it cannot be stored. */
export const keptPlan = Effect.fnUntraced(function* (agent: Agent, plan: Plan) {
  if (JSON.stringify(plan).length > maxPlan) return tooLarge()
  return (yield* (yield* Plans).keep(agent, plan)) ?? tooMany()
})

export const isAnswer = (kept: StoredPlan | Answer): kept is Answer => "failed" in kept
