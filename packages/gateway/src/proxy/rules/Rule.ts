import type { PermissionTier, PolicyDeny } from "@portico/contract/Access"
import type { BadGateway, BadRequest, Forbidden, NotFound, UnsupportedMediaType } from "@portico/contract/Failures"
import type { Effect } from "effect"
import type { Called } from "../../acts/Act.ts"

/** A call to the platform as the rules see it: of the client's request only what the upstream would understand as well. */
export interface PlatformCall extends Called {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly caller: {
    /** A platform administrator; everybody else is bound to one tenant. */
    readonly admin: boolean
    /** A person who logged in, and no machine user. */
    readonly human: boolean
    readonly tier: PermissionTier
    /** What policies refuse; absent when none says so. */
    readonly denies?: ReadonlyArray<PolicyDeny>
    /** Null for an administrator. */
    readonly tenant?: { readonly suspended: boolean; readonly projectId: string } | null
  }
  /**
   * Reads below the same service with the caller's own session, e.g.
   * `["address-groups", id]`; undefined when it is not there for the caller.
   */
  read(segments: ReadonlyArray<string>, headers?: Readonly<Record<string, string>>): Effect.Effect<unknown, BadGateway>
}

export type Refusal = BadRequest | Forbidden | NotFound | UnsupportedMediaType

/**
 * Something that the platform would allow and the contract does not. What
 * concerns a rule is decided by method and path alone, because every call
 * passes here; only then the rest of the call is looked at.
 */
export interface Rule {
  /** `head`: path, query and headers decide. `body`: the JSON body has to be read first. */
  concerns(call: PlatformCall): "nothing" | "head" | "body"
  /** @param body the parsed JSON; undefined where the rule wants no body, or the request has none */
  check(call: PlatformCall, body: unknown): Effect.Effect<void, Refusal | BadGateway>
}
