import { Actions, type Ended } from "@portico/agent/Actions"
import type { Agent } from "@portico/agent/CurrentAgent"
import type { ToolCode } from "@portico/agent/answers/toolCodes"
import { Rights } from "@portico/agent/Rights"
import { allTools } from "@portico/agent/tools/all"
import { Effect } from "effect"
import type { NamedCall } from "./messages.ts"

/** The tool's name in the record of a call without a tool. The name that the client sent may be any text. */
const noTool = "unknown"

const refused = (code: ToolCode): Ended => ({ outcome: "refused", status: null, code })

/**
 * Records a call that is refused before any tool runs: it does not name a tool, its arguments are not an object, or its
 * envelope is flawed.
 */
export const unreachedCalls = Effect.gen(function* () {
  const { recorded } = yield* Actions
  const names = new Set(allTools(yield* Rights).map((_) => _.name))
  return (agent: Agent, { arguments: given, tool }: NamedCall, isFlawed: boolean): Effect.Effect<void> => {
    const isTool = tool !== undefined && names.has(tool)
    if (isTool && given !== undefined && !isFlawed) return Effect.void
    const action = { tool: isTool ? tool : noTool, arguments: Object.keys(given ?? {}), writes: false }
    return Effect.ignore(
      recorded(agent, action, Effect.void, () => refused(isTool ? "invalid_arguments" : "unknown_tool"))
    )
  }
})
