import { Invalid, type Unavailable } from "@portico/contract/Failures"
import { Effect } from "effect"
import { Actions, type Ended } from "../Actions.ts"
import { Answering } from "../answers/Answering.ts"
import { askedOf } from "../answers/arguments.ts"
import { lost } from "../answers/failure.ts"
import { mostFields } from "../answers/fields.ts"
import { type Presented, presented } from "../answers/presented.ts"
import { resultOf } from "../answers/result.ts"
import type { ToolCode } from "../answers/toolCodes.ts"
import { visible } from "../answers/visible.ts"
import { awaited } from "../answers/work.ts"
import type { Agent } from "../CurrentAgent.ts"
import { confirmed } from "../plans/confirmed.ts"
import { refused } from "./answers.ts"
import type { Answer, Arguments, Tool } from "./Tool.ts"

/** Runs a tool for an agent. The log has a record of the call before the answer is sent. */
export const callTool = Effect.fn("agent.callTool")(function* (agent: Agent, tool: Tool, all: Arguments) {
  const actions = yield* Actions
  const { toolOf } = yield* Answering
  const { fields, given, wait } = askedOf(tool, all)
  const action = { tool: tool.name, arguments: Object.keys(all), writes: tool.writes }
  const call = { tool, given, fields, requestId: agent.requestId, toolOf }
  const present = (answer: Answer) => presented(answer, { ...call, ...answer.of })
  const isTooMuch = fields !== undefined && fields.length > mostFields
  const made = isTooMuch ? Effect.succeed(refused(Invalid.issues([tooManyFields]))) : confirmed(agent, tool, given)
  const answer = yield* actions
    .recorded(agent, action, Effect.map(made, present), endedAs)
    .pipe(Effect.catch((failure) => Effect.succeed(present(unrecorded(failure)))))
  if (answer.invalid !== undefined) return yield* answer.invalid
  return answer.asks ?? resultOf(yield* withWork(agent, answer, wait))
})

const tooManyFields = {
  loc: ["arguments", "fields"],
  msg: `Input should name at most ${mostFields} fields`,
  type: "too_long"
}

/** The answer of a call that was not made, because the log could not record it. */
const unrecorded = ({ code, detail }: Unavailable): Answer => ({ status: 503, body: { detail, code }, failed: true })

const endedAs = ({ body, failed, outcome, status }: Answer): Ended => {
  const code = failed && typeof body["code"] === "string" ? body["code"] : null
  const refused = status !== null && status >= 400 && status < 500
  return {
    outcome: outcome ?? (!failed ? "succeeded" : code === lost ? "unknown" : refused ? "refused" : "failed"),
    status,
    code
  }
}

/**
 * Adds the work that the call began: how to ask for its state, and after a wait, how it ended. The call is recorded
 * before the wait. So a client that disconnects while it waits leaves the record of a call that was carried out.
 */
const withWork = Effect.fnUntraced(function* (agent: Agent, answer: Presented, wait: boolean) {
  const { body, work } = answer
  if (work === undefined) return answer
  if (!wait) return { ...answer, body: { ...body, work: work.ask } }
  const { report } = yield* Answering
  const { last, state } = yield* awaited(agent, work, report)
  const seen = last === undefined ? {} : { last: visible(last) }
  const ended = { ...body, work: { ...work.ask, state, ...seen } }
  if (state !== "failed") return { ...answer, body: ended }
  const { field } = work.waiting
  return {
    ...answer,
    failed: true,
    body: {
      ...ended,
      code: "work_failed" satisfies ToolCode,
      cause: `The call was carried out, and the work that it began has stopped: ${field} is '${String(last?.[field])}'.`,
      fix: `Read it again with ${work.ask.tool}; \`work.last\` says why where that is known.`
    }
  }
})
