import { Deferred, Effect } from "effect"
import { Api, type ApiRequest } from "../Api.ts"
import type { Agent } from "../CurrentAgent.ts"
import type { Answer, Arguments, Tool, ToolServices } from "../tools/Tool.ts"
import { routeOf } from "./routes.ts"

const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/** What a tool does first: its first request that needs a decision, or its answer when it makes no such request. */
export type First =
  | { readonly kind: "request"; readonly request: ApiRequest }
  | { readonly kind: "answer"; readonly answer: Answer }

/**
 * Runs a tool up to its first request that changes something. That request is not sent.
 *
 * @param readsToo whether a request that only reads needs a decision too
 */
export const firstRequest = Effect.fnUntraced(function* (
  agent: Agent,
  tool: Tool,
  given: Arguments,
  readsToo: boolean
): Effect.fn.Return<First, never, ToolServices> {
  const api = yield* Api
  const reached = yield* Deferred.make<ApiRequest>()
  const stopping = Api.of({
    call: (agent, request) =>
      !readsToo && reads.has(request.method)
        ? api.call(agent, request)
        : Effect.andThen(Deferred.succeed(reached, request), Effect.never)
  })
  return yield* Effect.raceFirst(
    Effect.map(Deferred.await(reached), (request): First => ({ kind: "request", request })),
    Effect.map(Effect.provideService(tool.run(agent, given), Api, stopping), (answer): First => ({
      kind: "answer",
      answer
    }))
  )
})

/** The argument for the `Idempotency-Key`, of tools that take one. */
const keyArgument = "idempotency_key"

/** Runs a tool with this `Idempotency-Key` on the creations that it requests, unless the arguments have a key. */
export const runWithKey = Effect.fnUntraced(function* (agent: Agent, tool: Tool, given: Arguments, key: string) {
  const api = yield* Api
  const keyed = Api.of({
    call: (agent, request) =>
      routeOf(request)?.takesKey === true
        ? api.call(agent, { ...request, headers: { "idempotency-key": key, ...request.headers } })
        : api.call(agent, request)
  })
  // Without the argument, such a tool would choose a key itself and answer it to the model.
  const withKey = tool.input.properties[keyArgument] === undefined ? given : { [keyArgument]: key, ...given }
  return yield* Effect.provideService(tool.run(agent, withKey), Api, keyed)
})
