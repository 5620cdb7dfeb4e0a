import { maxPlans, planLives, type StoredPlan } from "./Plans.ts"
import type { ToolCode } from "../answers/toolCodes.ts"
import type { Answer, Arguments } from "../tools/Tool.ts"
import type { Preview } from "./preview.ts"
import { Duration } from "effect"
import { McpSchema } from "effect/ai"

/** The name of the tool that carries a plan out. */
export const applyTool = "plan_apply"

const minutes = Duration.toMinutes(planLives)

const detailed = (
  outcome: NonNullable<Answer["outcome"]>,
  code: ToolCode,
  detail: string,
  fix: string,
  more: Readonly<Record<string, unknown>> = {}
): Answer => ({ status: null, failed: true, outcome, body: { detail, code, fix, ...more } })

/** The answer to a `requestState` that this server did not give to this agent, or that has expired. */
export const unknownState = (): Answer => {
  const detail = "The requestState is not one that this agent was given, or has expired"
  const fix = "Call the tool again without requestState: it asks anew."
  const invalid = new McpSchema.InvalidParams({ message: `${detail}. ${fix}` })
  return { ...detailed("refused", "plan_not_found", detail, fix), invalid }
}

const planned = (
  tool: string,
  given: Arguments,
  { because, price, quota }: Preview,
  { expiresAt, id }: StoredPlan
) => ({
  plan_id: id,
  expires_at: expiresAt,
  what: { tool, arguments: given, because },
  quota,
  price,
  next:
    "Nothing has been done yet. Show all of this to the person whom you work for and ask for a decision. Only when the " +
    `person agrees, call ${applyTool} with plan_id within ${minutes} minutes. Do not decide for the person.`
})

/** The answer of a call that waits for a person's confirmation. */
export const plannedAnswer = (tool: string, given: Arguments, preview: Preview, plan: StoredPlan): Answer => ({
  status: null,
  failed: false,
  outcome: "planned",
  body: planned(tool, given, preview, plan)
})

/** The answer of a call that was not made, because what the person was shown has changed. It has a new plan. */
export const changedAnswer = (
  changed: ReadonlyArray<string>,
  tool: string,
  given: Arguments,
  preview: Preview,
  plan: StoredPlan
): Answer => ({
  status: null,
  failed: true,
  outcome: "planned",
  body: {
    detail: "Nothing was done, because something has changed since the person saw it. This is a new plan.",
    code: "plan_outdated" satisfies ToolCode,
    changed,
    ...planned(tool, given, preview, plan)
  }
})

/** The answer is the same for a plan that expired, one of another agent, and one that never existed. */
export const noPlan = (id: string): Answer =>
  detailed(
    "refused",
    "plan_not_found",
    `Plan '${id}' not found`,
    `A plan lives for ${minutes} minutes. Call the tool again for a new one.`
  )

export const spentPlan = (): Answer =>
  detailed(
    "refused",
    "plan_spent",
    "The plan was carried out already, or the gateway's process ended while it carried the plan out. No plan is carried out twice",
    "Read what the call changes, to see whether it was done. If it was not, call the tool again."
  )

export const declinedAnswer = (how: "declined" | "dismissed"): Answer =>
  detailed(
    "declined",
    "confirmation_declined",
    `The person ${how} the call. Nothing was done.`,
    "Do not repeat the call unless the person asks for it."
  )

/** The tenant's policy asks for a person's answer in the client, and the client brought none. */
export const personNeeded = (tool: string): Answer =>
  detailed(
    "refused",
    "confirmation_needs_person",
    `The tenant's policy lets ${tool} run only when a person confirms it in the client, and this client did not bring an answer`,
    "Use a client with elicitation, or ask the person to make the call on the API or with the command line."
  )

export const tooMany = (): Answer =>
  detailed(
    "refused",
    "plan_limit",
    `${maxPlans} plans of this agent wait for a confirmation already`,
    `A plan lives for ${minutes} minutes. Have the person decide on those that wait, before there are more.`
  )

export const tooLarge = (): Answer =>
  detailed(
    "refused",
    "plan_too_large",
    "The arguments are too large to wait for a confirmation",
    "Ask the person to make the call on the API or with the command line."
  )
