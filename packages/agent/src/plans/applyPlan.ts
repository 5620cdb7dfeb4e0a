import { Invalid } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { AgentPolicy } from "../AgentPolicy.ts"
import { refused } from "../tools/answers.ts"
import type { Tool } from "../tools/Tool.ts"
import { applyTool, changedAnswer, noPlan, personNeeded } from "./answers.ts"
import { carriedOut } from "./carriedOut.ts"
import { personOnly } from "./confirmed.ts"
import { isAnswer, keptPlan } from "./keptPlan.ts"
import { Plans } from "./Plans.ts"

const notText = { loc: ["arguments", "plan_id"], msg: "Input should be a string", type: "string_type" }

/** The tool that carries out a plan which a person has confirmed. */
export const applyPlan = (tools: ReadonlyArray<Tool>): Tool => {
  const byName = new Map(tools.map((_) => [_.name, _]))
  return {
    name: applyTool,
    title: "Carry out a plan",
    description:
      "Carries out a plan that another tool answered, within 10 minutes and once. Only after the person whom you work " +
      "for has seen the plan and agreed.",
    input: {
      type: "object",
      properties: { plan_id: { type: "string" } },
      required: ["plan_id"],
      additionalProperties: false
    },
    area: "plans",
    writes: true,
    weight: [],
    idempotent: true,
    // An agent of tier 0 makes no call that a person has to confirm.
    visibleTo: ({ caller }) => caller.tier > 0,
    run: Effect.fnUntraced(function* (agent, given) {
      const plans = yield* Plans
      const { plan_id: id = "" } = given
      if (!Predicate.isString(id)) return refused(Invalid.issues([notText]))
      const found = yield* plans.find(agent, id)
      const tool = found?.plan.by === "apply" ? byName.get(found.plan.tool) : undefined
      if (found === undefined || tool === undefined) return noPlan(id)
      const { confirm } = yield* (yield* AgentPolicy).of(agent)
      if (confirm.includes(personOnly)) return personNeeded(tool.name)
      return yield* carriedOut(agent, tool, id, found, (preview, changed) => {
        const plan = { ...found.plan, preview }
        return Effect.map(keptPlan(agent, plan), (_) =>
          isAnswer(_) ? _ : changedAnswer(changed, tool.name, plan.given, preview, _)
        )
      })
    })
  }
}
