import { Context, type Effect } from "effect"
import type { Agent } from "./CurrentAgent.ts"

/** The areas that agents have switched on for themselves, in all of their sessions. */
export class Areas extends Context.Service<
  Areas,
  {
    of(agent: Agent): Effect.Effect<ReadonlyArray<string>>
    /** The transport tells the client, in the answer of this request, that its list of tools has changed. */
    put(agent: Agent, areas: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("portico/agent/Areas") {}
