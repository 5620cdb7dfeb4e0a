import { Context, Duration, type Effect } from "effect"
import type { ApiRequest } from "../Api.ts"
import type { Agent } from "../CurrentAgent.ts"
import type { Preview } from "./preview.ts"

/** The time in which a plan can be carried out. */
export const planLives = Duration.minutes(10)

/** The largest content of a plan, in characters of JSON. */
export const maxPlan = 256 * 1024

/** The most plans of one agent that wait for a confirmation. */
export const maxPlans = 100

/** How a plan is confirmed: by the tool `plan_apply`, or by the client's answer to a request for input. */
export type ConfirmedBy = "apply" | "input"

/** A tool call that a person has to confirm, and what the person is shown before. */
export interface Plan {
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
  readonly by: ConfirmedBy
  readonly preview: Preview
}

export interface StoredPlan {
  readonly id: string
  /** RFC 3339, UTC. */
  readonly expiresAt: string
}

export interface FoundPlan {
  readonly plan: Plan
  /** `taken`: a process began to carry it out. `ended`: it can no longer be carried out. */
  readonly state: "open" | "taken" | "ended"
}

/** Plans, in a store that all replicas share. Only the agent that made a plan can find it, and only in its tenant. */
export class Plans extends Context.Service<
  Plans,
  {
    /** Stores a plan. Undefined when the agent has {@link maxPlans} already. */
    keep(agent: Agent, plan: Plan): Effect.Effect<StoredPlan | undefined>
    /** Finds a plan. Undefined when it expired, belongs to another agent, or never existed. */
    find(agent: Agent, id: string): Effect.Effect<FoundPlan | undefined>
    /** Takes an open plan in order to carry it out. Only the first call in all replicas gets true. */
    take(agent: Agent, id: string): Effect.Effect<boolean>
    /** Ends a plan: it can no longer be carried out. */
    end(agent: Agent, id: string): Effect.Effect<void>
  }
>()("portico/agent/Plans") {}

/** Why a person may have to confirm a call: it costs money, or an agent cannot undo it. */
export type Weight = "billed" | "irreversible"

/** Weights of calls to the proxies. The gateway has the tables that decide them. */
export class ProxyWeights extends Context.Service<
  ProxyWeights,
  {
    of(request: ApiRequest): ReadonlyArray<Weight>
    /** The areas that the call acts on besides that of its path. */
    otherAreas(request: ApiRequest): ReadonlyArray<string>
  }
>()("portico/agent/ProxyWeights") {}

/**
 * The time that a client's person has to answer a question. A client that did not ask for progress ends its call after
 * about a minute, and a later answer would be lost. So the person has less time there (`silent`) than with a client
 * that gets reports of progress (`reported`).
 */
export const AnswerTime = Context.Reference("portico/agent/AnswerTime", {
  defaultValue: () => ({
    silent: Duration.seconds(45),
    reported: Duration.minutes(3),
    /** The pause between two reports. */
    pause: Duration.seconds(10)
  })
})
