import { Context, type Effect } from "effect"
import type { ToolOf } from "./advice.ts"

/** Reports to the client how far a call is. Each report has a larger `progress`. */
export type Report = (progress: number, message: string) => Effect.Effect<void>

/** What a tool call gets from the server beside its arguments. */
export const Answering = Context.Reference<{
  readonly toolOf: ToolOf
  /** Reports progress; undefined when the client did not ask for it. */
  readonly report: Report | undefined
}>("portico/agent/Answering", { defaultValue: () => ({ toolOf: () => undefined, report: undefined }) })
