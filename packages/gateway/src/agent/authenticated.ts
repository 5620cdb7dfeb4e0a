import type { Agent } from "@portico/agent/CurrentAgent"
import type { Caller } from "@portico/contract/Access"
import { Conflict, type Failure } from "@portico/contract/Failures"
import { Admission } from "@portico/domain/access/Admission"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { admission } from "../limits/admission.ts"
import { CurrentMeter } from "../limits/Meter.ts"
import { RequestId } from "../requests/RequestId.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { OpenCall } from "../streams/OpenCall.ts"
import { OpenCalls } from "../streams/OpenCalls.ts"
import { untilRefused } from "./untilRefused.ts"
import type { User } from "./sessions/Sessions.ts"

/** The authenticated maker of a request to the agent plane. */
export interface Authentic {
  readonly agent: Agent
  readonly caller: Caller
  readonly user: User
}

/**
 * Authenticates a request to the MCP endpoint and counts it against its tenant's allowance, or refuses it as the API
 * does. The request is an open call until its answer is sent. When its caller loses the right to it, the gateway ends
 * the request, whether its answer is a stream or not there yet.
 */
export const authenticated = Effect.gen(function* () {
  const admitted = yield* admission
  const sources = yield* SourceAddresses
  const calls = yield* OpenCalls
  const { admit } = yield* Admission

  return Effect.fnUntraced(function* <E, R>(
    handle: (authentic: Authentic) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const meter = yield* CurrentMeter
    if (meter !== undefined) meter.reachedAuthentication = true
    const token = yield* bearerToken(request.headers["authorization"])
    const source = () => sources.of(arrivalOf(request))
    const requestId = yield* RequestId
    const call = new OpenCall(NodeHttpServerRequest.toIncomingMessage(request).socket, requestId)
    const caller = yield* admitted(token, { plane: "agent", source, draft: undefined, meter, open: call })
    const { tenant } = caller
    if (tenant === null) return yield* Conflict.tenantRequired()
    const agent = { caller, token: token.redacted, source: source(), requestId }
    yield* admit(caller)
    // The gateway checks both again while the request is open.
    call.recheck = (now) => Effect.andThen(permitted(now), admit(now))
    calls.enter(call)
    NodeHttpServerRequest.toServerResponse(request).once("close", () => calls.leave(call))
    return yield* untilRefused(
      call,
      handle({ agent, caller, user: { userId: caller.userId, owner: tenant.projectId } })
    )
  })
})

const permitted = ({ tenant }: Caller): Effect.Effect<void, Failure> =>
  tenant === null ? Effect.fail(Conflict.tenantRequired()) : Effect.void
