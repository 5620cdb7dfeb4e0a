import { Areas } from "@portico/agent/Areas"
import { AgentAreas } from "@portico/store/AgentAreas"
import type { Agent } from "@portico/agent/CurrentAgent"
import { Effect, Layer, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

/** Those whose request has switched areas. An agent is an object of one request. */
const switched = new WeakSet<Agent>()

export const AreasLive = Layer.effect(
  Areas,
  Effect.map(AgentAreas, (stored) =>
    Areas.of({
      of: ({ caller }) => stored.of(caller.userId),
      put: (agent, areas) =>
        Effect.tap(stored.put(agent.caller.userId, areas), () => Effect.sync(() => switched.add(agent)))
    })
  )
)

/**
 * Adds to an answer that the list of tools has changed, when this request has switched areas. The library would send
 * it to the clients of all tenants, and each of them might ask for its list again.
 */
export const withListChange = (
  agent: Agent,
  answer: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = answer
  if (body._tag === "Uint8Array" && switched.has(agent)) {
    const text = `${listChanged}event: message\ndata: ${decoder.decode(body.body)}\n\n`
    return HttpServerResponse.setBody(answer, HttpBody.text(text, "text/event-stream"))
  }
  if (body._tag !== "Stream") return answer
  const after = Stream.suspend(() => (switched.has(agent) ? Stream.succeed(encoder.encode(listChanged)) : Stream.empty))
  return HttpServerResponse.setBody(answer, HttpBody.stream(Stream.concat(body.stream, after), body.contentType))
}

const listChanged = `event: message\ndata: ${JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/tools/list_changed"
})}\n\n`

const decoder = new TextDecoder()
const encoder = new TextEncoder()
