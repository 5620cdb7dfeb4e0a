import { Effect, Equal, Option } from "effect"
import { McpSchema } from "effect/ai"
import { AgentPolicy } from "../AgentPolicy.ts"
import type { ApiRequest } from "../Api.ts"
import type { Agent } from "../CurrentAgent.ts"
import { Rights } from "../Rights.ts"
import type { Answer, Arguments, Tool } from "../tools/Tool.ts"
import { applyTool, changedAnswer, declinedAnswer, personNeeded, plannedAnswer, unknownState } from "./answers.ts"
import { carriedOut } from "./carriedOut.ts"
import { accepted, asked, questionParameters } from "./elicitation.ts"
import { firstRequest } from "./firstRequest.ts"
import { bodyOf } from "./json.ts"
import { isAnswer, keptPlan } from "./keptPlan.ts"
import { type ConfirmedBy, Plans } from "./Plans.ts"
import { againOf, changesOf, type Preview, previewOf } from "./preview.ts"
import { isProxied, routeOf } from "./routes.ts"
import { toolsOf, weightOf } from "./weights.ts"
import { questionOf } from "./words.ts"

/** The entry of a tenant's policy with which only a person's answer in the client confirms a call, and no plan does. */
export const personOnly = "person"

/** A call that a person has to confirm. */
interface Pending {
  readonly agent: Agent
  readonly tool: Tool
  readonly given: Arguments
  readonly preview: Preview
  /** Whether the tenant's policy rules out plans. */
  readonly personOnly: boolean
}

/**
 * Runs a tool. Where the tenant's policy asks for it, a person confirms the call first.
 *
 * A person's answer reaches the gateway through the client, and the gateway has to trust the client: it cannot tell a
 * person's answer from one that the client made up. The gateway guarantees three things. In a client that keeps to the
 * protocol, the model alone cannot answer the question. The log has the question and the confirmed call. A tenant can
 * rule out plans, which a model can carry out without a form in the client.
 */
export const confirmed = Effect.fn("agent.confirmed")(function* (agent: Agent, tool: Tool, given: Arguments) {
  const { confirm } = yield* (yield* AgentPolicy).of(agent)
  const isNamed = confirm.includes(tool.name)
  const readsToo = isNamed || (!tool.writes && confirm.some((_) => _.endsWith("_read")))
  if (tool.name === applyTool || (!tool.writes && !readsToo)) return yield* tool.run(agent, given)
  const first = yield* firstRequest(agent, tool, given, readsToo)
  if (first.kind === "answer") return first.answer
  const reached = yield* toolsOf(first.request)
  const weight = yield* weightOf(tool, first.request)
  const because = [
    ...weight.filter((_) => confirm.includes(_)),
    ...(tool.writes && confirm.includes("writes") ? ["writes"] : []),
    ...(isNamed || reached.some((_) => confirm.includes(_)) ? ["named"] : [])
  ]
  // The API refuses this call to this agent in any case: the tool makes it without a question, and answers the refusal.
  const isRefused = !tool.visibleTo(agent) || (yield* destroys(agent, first.request))
  if (because.length === 0 || isRefused) return yield* tool.run(agent, given)
  const preview = yield* previewOf(agent, first.request, { because, isBilled: weight.includes("billed") })
  if (isMissing(first.request, preview)) return yield* tool.run(agent, given)
  return yield* decided({ agent, tool, given, preview, personOnly: confirm.includes(personOnly) }, first.request)
})

/**
 * Whether the agent cannot read what the call would change, because it does not exist or the request is invalid. The
 * API then refuses the call, so a person need not be asked. This holds for first-class routes alone: a service behind a
 * proxy can accept a write on a path that it does not answer reads on.
 */
const isMissing = (request: ApiRequest, { state }: Preview): boolean =>
  !isProxied(request) && ["400", "404", "422"].includes(state["status"] ?? "")

/** Whether the API refuses the call to the agent, such as a call whose body makes it delete data. */
const destroys = Effect.fnUntraced(function* ({ caller }: Agent, request: ApiRequest) {
  const route = routeOf(request)
  return route !== undefined && !(yield* Rights).permits(caller, route.endpoint, bodyOf(request))
})

const decided = Effect.fnUntraced(function* (pending: Pending, request: ApiRequest) {
  const context = Option.getOrUndefined(yield* Effect.serviceOption(McpSchema.McpRequestContext))
  const client = Option.getOrUndefined(yield* Effect.serviceOption(McpSchema.McpServerClient))
  if (!hasForms(context)) return yield* planned(pending)
  return client === undefined ? yield* inRounds(pending, context) : yield* inSession(pending, client, request)
})

type RequestContext = McpSchema.McpRequestContext["Service"]

/** Whether the client can show forms. The protocol says that a client which names no mode can. */
const hasForms = (context: RequestContext | undefined): context is RequestContext => {
  const elicitation = context?.clientCapabilities.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** Asks the person by a request of the server to the client, within the session. */
const inSession = Effect.fnUntraced(function* (
  pending: Pending,
  client: McpSchema.McpServerClient["Service"],
  request: ApiRequest
) {
  const { agent, given, preview, tool } = pending
  const answer = yield* asked(client, questionOf(tool.name, given, preview))
  if (answer === "none") return yield* planned(pending)
  if (answer !== "accepted") return declinedAnswer(answer)
  const now = yield* previewOf(agent, request, againOf(preview))
  const changed = changesOf(preview, now)
  return changed.length === 0 ? yield* tool.run(agent, given) : yield* outdated({ ...pending, preview: now }, changed)
})

/**
 * Asks the person by the answer of the call, in the revision without sessions. The client repeats the call with the
 * person's answer and the plan's id.
 */
const inRounds = Effect.fnUntraced(function* (pending: Pending, context: RequestContext) {
  const { agent, given, tool } = pending
  const { inputResponses, requestState } = context
  if (requestState === undefined || inputResponses === undefined) return yield* inputRequired(pending)
  const plans = yield* Plans
  const found = yield* plans.find(agent, requestState)
  if (found === undefined) return unknownState()
  const isOurs = found.plan.by === "input" && found.plan.tool === tool.name && Equal.equals(found.plan.given, given)
  if (!isOurs) return yield* inputRequired(pending)
  const answer = accepted(inputResponses["confirm"])
  if (answer === "accepted")
    return yield* carriedOut(agent, tool, requestState, found, (preview, changed) =>
      outdated({ ...pending, preview }, changed)
    )
  yield* plans.end(agent, requestState)
  return declinedAnswer(answer)
})

const inputRequired = Effect.fnUntraced(function* (pending: Pending) {
  const plan = yield* kept(pending, "input")
  if (isAnswer(plan)) return plan
  const { given, preview, tool } = pending
  const confirm = {
    method: "elicitation/create" as const,
    params: questionParameters(questionOf(tool.name, given, preview))
  }
  const asks = new McpSchema.InputRequired({ inputRequests: { confirm }, requestState: plan.id })
  return { ...plannedAnswer(tool.name, given, preview, plan), asks } satisfies Answer
})

const planned = Effect.fnUntraced(function* (pending: Pending) {
  const { given, preview, tool } = pending
  if (pending.personOnly) return personNeeded(tool.name)
  const plan = yield* kept(pending, "apply")
  return isAnswer(plan) ? plan : plannedAnswer(tool.name, given, preview, plan)
})

/** Answers with a new plan, because something changed since the person saw the call. */
const outdated = Effect.fnUntraced(function* (pending: Pending, changed: ReadonlyArray<string>) {
  const { given, preview, tool } = pending
  if (pending.personOnly) return personNeeded(tool.name)
  const plan = yield* kept(pending, "apply")
  return isAnswer(plan) ? plan : changedAnswer(changed, tool.name, given, preview, plan)
})

const kept = Effect.fnUntraced(function* ({ agent, given, preview, tool }: Pending, by: ConfirmedBy) {
  return yield* keptPlan(agent, { tool: tool.name, given, by, preview })
})
