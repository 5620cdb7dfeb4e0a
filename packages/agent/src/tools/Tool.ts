import type { Effect, Schema } from "effect"
import type { McpSchema } from "effect/ai"
import type { Outcome } from "../Actions.ts"
import type { AgentPolicy } from "../AgentPolicy.ts"
import type { Agent } from "../CurrentAgent.ts"
import type { Api } from "../Api.ts"
import type { Areas } from "../Areas.ts"
import type { Plans, ProxyWeights, Weight } from "../plans/Plans.ts"
import type { Rights } from "../Rights.ts"

/** A JSON Schema of an object. */
export interface InputSchema {
  readonly type: "object"
  readonly properties: Readonly<Record<string, Schema.Json>>
  readonly required?: ReadonlyArray<string>
  readonly [keyword: string]: Schema.Json | undefined
}

export type Arguments = Readonly<Record<string, unknown>>

/** What a tool answers. */
export interface Answer {
  /** The API's status; null when the tool made no call, or the API's answer was lost. */
  readonly status: number | null
  /** The structured content for the model. */
  readonly body: Readonly<Record<string, unknown>>
  readonly failed: boolean
  /** How the call ended, where status and `failed` do not say it. */
  readonly outcome?: Outcome
  /** The question that the client has to show its person before the call goes on. The model does not see it. */
  readonly asks?: McpSchema.InputRequired
  /** The error of JSON-RPC that takes the answer's place, where the request itself is not one that a server takes. */
  readonly invalid?: McpSchema.InvalidParams
  /** The headers of the API's answer; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Set when the API's answer was longer than the gateway reads. */
  readonly incomplete?: true
  /** The call of the plan, in the answer of a tool that carried a plan out. */
  readonly of?: { readonly tool: Tool; readonly given: Arguments }
}

/** Services that tools use. */
export type ToolServices = AgentPolicy | Api | Areas | Plans | ProxyWeights | Rights

/** A tool of the agent plane. */
export interface Tool {
  /** `credentials_mint` */
  readonly name: string
  /** The operation that the tool calls, `credentials.mint`; undefined when it calls several or none. */
  readonly operation?: string | undefined
  readonly title: string
  readonly description: string
  readonly input: InputSchema
  /** The area of the tool, as access policies name it: `databases`, `compute`. */
  readonly area: string
  /** Whether the tool can change something. */
  readonly writes: boolean
  /** Why a person may have to confirm a call: it costs money, or an agent cannot undo it. */
  readonly weight: ReadonlyArray<Weight>
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean
  /** Whether an agent may use the tool, and so sees it in a list. The API refuses a call of another one. */
  visibleTo(agent: Agent): boolean
  run(agent: Agent, given: Arguments): Effect.Effect<Answer, never, ToolServices>
}
