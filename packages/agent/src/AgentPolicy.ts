import { Context, type Effect } from "effect"
import type { Agent } from "./CurrentAgent.ts"

/** What a tenant decided about its agents. */
export interface Decided {
  /** Whether agents may use the agent plane at all. */
  readonly enabled: boolean
  /**
   * Which tool calls a person confirms: `billed` (they cost money), `irreversible` (an agent cannot undo them),
   * `writes` (they change something), or the name of a tool.
   */
  readonly confirm: ReadonlyArray<string>
}

/** The tenant's policy for its agents. */
export class AgentPolicy extends Context.Service<
  AgentPolicy,
  {
    /** The tenant's policy; a change of it applies after at most a second. */
    of(agent: Agent): Effect.Effect<Decided>
  }
>()("portico/agent/AgentPolicy") {}
