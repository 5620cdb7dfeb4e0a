import { Context, type Effect } from "effect"
import type { Unavailable } from "@portico/contract/Failures"
import type { Agent } from "./CurrentAgent.ts"

/** How a tool call ended. */
export type Outcome = "succeeded" | "refused" | "failed" | "planned" | "declined" | "unknown"

/** A tool call of an agent, without the values of its arguments. */
export interface Action {
  readonly tool: string
  /** The names of the arguments. */
  readonly arguments: ReadonlyArray<string>
  /** Whether the tool changes something. The log then has a record of the call before the tool acts. */
  readonly writes: boolean
}

export interface Ended {
  readonly outcome: Outcome
  /** The API's status; null when the tool made no API call, or the API's answer was lost. */
  readonly status: number | null
  /** The code of the failure. */
  readonly code: string | null
}

/** The durable log of what agents do (contract, topic `agent.actions`). */
export class Actions extends Context.Service<
  Actions,
  {
    /**
     * Runs a tool call. Its record is in the log when this completes, also when the call fails or is interrupted. A
     * call that writes does not begin before the log has a record of it.
     *
     * Errors: 503 when a call that writes cannot be recorded. The tool was not run then.
     */
    recorded<A, E, R>(
      agent: Agent,
      action: Action,
      call: Effect.Effect<A, E, R>,
      ended: (answer: A) => Ended
    ): Effect.Effect<A, E | Unavailable<"agent_actions_unwritable">, R>
  }
>()("portico/agent/Actions") {}
