import type { Caller } from "@portico/contract/Access"
import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

/** Decides what a caller may call, by the checks that the API itself makes. */
export class Rights extends Context.Service<
  Rights,
  {
    /**
     * Whether the API would let the caller reach the endpoint.
     *
     * @param payload the body of the call: some bodies make a call destroy data, which needs tier 2
     */
    permits(caller: Caller, endpoint: HttpApiEndpoint.Top, payload?: unknown): boolean
    /** Whether the caller's tier and access policies allow calls of this tier in an area, such as `compute`. */
    permitsArea(caller: Caller, area: string, tier: 0 | 1): boolean
  }
>()("portico/agent/Rights") {}
