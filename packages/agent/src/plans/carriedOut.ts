import { Effect } from "effect"
import { AgentPolicy } from "../AgentPolicy.ts"
import type { Agent } from "../CurrentAgent.ts"
import type { Answer, Tool, ToolServices } from "../tools/Tool.ts"
import { spentPlan } from "./answers.ts"
import { firstRequest, runWithKey } from "./firstRequest.ts"
import { type FoundPlan, Plans } from "./Plans.ts"
import { againOf, changesOf, type Preview, previewOf } from "./preview.ts"
import { routeOf } from "./routes.ts"

/** Answers with a new plan in place of the outdated one, and with what has changed. */
type Outdated = (now: Preview, changed: ReadonlyArray<string>) => Effect.Effect<Answer, never, ToolServices>

/**
 * Carries out a plan, if nothing has changed since a person saw it.
 *
 * A creation that takes an `Idempotency-Key` gets a key made of the plan's id. The agent can then apply the plan again
 * after a lost answer, and the API creates one thing. Any other call is made at most once: one process of all replicas
 * takes the plan first, and the plan is spent even when that process dies.
 */
export const carriedOut = Effect.fnUntraced(function* (
  agent: Agent,
  tool: Tool,
  id: string,
  { plan, state }: FoundPlan,
  outdated: Outdated
): Effect.fn.Return<Answer, never, ToolServices> {
  const plans = yield* Plans
  if (state === "ended") return spentPlan()
  const { confirm } = yield* (yield* AgentPolicy).of(agent)
  const first = yield* firstRequest(agent, tool, plan.given, confirm.includes(tool.name) || !tool.writes)
  if (first.kind === "answer") return first.answer
  const takesKey = routeOf(first.request)?.takesKey === true
  if (state === "open") {
    const now = yield* previewOf(agent, first.request, againOf(plan.preview))
    const changed = changesOf(plan.preview, now)
    if (changed.length > 0) {
      yield* plans.end(agent, id)
      return yield* outdated(now, changed)
    }
    if (!(yield* plans.take(agent, id)) && !takesKey) return spentPlan()
  } else if (!takesKey) return spentPlan()
  const answer = yield* runWithKey(agent, tool, plan.given, `plan-${id}`)
  if (isRefusal(answer)) yield* plans.end(agent, id)
  return { ...answer, of: { tool, given: plan.given } }
})

/** Whether the API refused the call, and no call with the plan's key is still running. */
const isRefusal = ({ body, failed, status }: Answer): boolean =>
  failed &&
  status !== null &&
  status >= 400 &&
  status < 500 &&
  status !== 429 &&
  body["code"] !== "idempotency_in_flight"
