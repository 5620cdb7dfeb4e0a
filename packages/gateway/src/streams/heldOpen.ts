import { NodeHttpServerRequest } from "@effect/platform-node"
import type { Caller } from "@portico/contract/Access"
import type { Failure } from "@portico/contract/Failures"
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { IncomingMessage } from "node:http"
import { RequestId } from "../requests/RequestId.ts"
import { type Admitted, CurrentOpenCall, OpenCall } from "./OpenCall.ts"
import type { OpenCalls } from "./OpenCalls.ts"

/** Milliseconds in which a stream can send the reason for its end. */
const reasonTimeout = 1_000

/** Whether the answer of an endpoint is a stream. */
export const isStreaming = (endpoint: HttpApiEndpoint.Top): boolean =>
  [...endpoint.success].some((_) => "_tag" in _ && streamTags.has(_._tag))

/** The tags of the stream schemas of `HttpApiSchema`, which does not export its own check. */
const streamTags: ReadonlySet<unknown> = new Set([
  "StreamNdjson",
  "StreamSse",
  "StreamUint8Array"
] satisfies ReadonlyArray<HttpApiSchema.StreamSchema["_tag"]>)

/**
 * Registers a request to a first-class route as an open call: a stream for as long as its connection carries it, any
 * other request while its body is arriving. An operation whose body is complete runs to its end, as it does when its
 * client disconnects.
 *
 * @param recheck the permission check that admitted the caller, to be repeated
 */
export const heldOpen =
  (
    calls: OpenCalls["Service"],
    request: HttpServerRequest.HttpServerRequest,
    endpoint: HttpApiEndpoint.Top,
    admitted: Admitted,
    recheck: (caller: Caller) => Effect.Effect<unknown, Failure>
  ) =>
  <E, R>(
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
    const streams = isStreaming(endpoint)
    const from = NodeHttpServerRequest.toIncomingMessage(request)
    if (!(from instanceof IncomingMessage) || (from.complete && !streams)) return httpEffect
    return Effect.flatMap(RequestId, (requestId) => {
      const call = new OpenCall(from.socket, requestId)
      call.admitted = admitted
      call.recheck = recheck
      calls.enter(call)
      const leave = Effect.sync(() => calls.leave(call))
      if (!streams) {
        call.isOpen = () => !from.complete
        return Effect.ensuring(httpEffect, leave)
      }
      // The connection may serve another request by then.
      const breakOff = () => call.slot >= 0 && call.breakOff()
      call.endWithReason = () => void setTimeout(breakOff, reasonTimeout).unref()
      // The handler ends long before its stream does.
      NodeHttpServerRequest.toServerResponse(request).once("close", () => calls.leave(call))
      return Effect.provideService(httpEffect, CurrentOpenCall, call)
    })
  }
