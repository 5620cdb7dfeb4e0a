import type { CallerKind, PermissionTier, PolicyDeny } from "@portico/contract/Access"
import type {
  BadGateway,
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  UnsupportedMediaType
} from "@portico/contract/Failures"
import { Effect } from "effect"
import type { Called } from "../../acts/Act.ts"

/** The parts of a caller that may decide which rules concern a call. */
export interface ConcernedCaller {
  /** Whether the caller is a platform administrator. Every other caller is bound to one tenant. */
  readonly admin: boolean
  /** Whether the caller is a person who logged in, not a machine user. */
  readonly human: boolean
  readonly tier: PermissionTier
  /** The kind of its credential; null or absent for an administrator. */
  readonly kind?: CallerKind | null
  /** The denials of the caller's policies; absent when there are none. */
  readonly denies?: ReadonlyArray<PolicyDeny>
  /** Null for an administrator. */
  readonly tenant?: { readonly suspended: boolean } | null
}

/** Method and path of a call, and what its caller may do. Which rules concern it is decided by these and remembered. */
export interface ConcernedCall extends Omit<Called, "query"> {
  readonly caller: ConcernedCaller
}

/**
 * A call to the platform as the rules see it: only the parts of the client's request that the upstream would
 * interpret too.
 */
export interface PlatformCall extends Called {
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly caller: ConcernedCaller & {
    /** Null for an administrator. */
    readonly tenant?: { readonly suspended: boolean; readonly projectId: string } | null
  }
  /**
   * Reads a path of the same service with the caller's own session, e.g. `["address-groups", id]`; undefined when the
   * caller cannot see it.
   */
  read(segments: ReadonlyArray<string>, headers?: Readonly<Record<string, string>>): Effect.Effect<unknown, BadGateway>
}

export type Refusal = BadRequest | Conflict | Forbidden | NotFound | UnsupportedMediaType

/**
 * A check for calls that the platform would allow and the contract does not. `concerns` decides by method, path and
 * the rights of the caller alone, because every call passes here; `check` then looks at the rest of the call.
 */
export interface Rule {
  /** `head`: path, query and headers decide. `body`: the JSON body has to be read first. */
  concerns(call: ConcernedCall): "nothing" | "head" | "body"
  /** @param body the parsed JSON; undefined where the rule needs no body, or the request has none */
  check(call: PlatformCall, body: unknown): Effect.Effect<void, Refusal | BadGateway>
}

/**
 * A rule for one part of the API.
 *
 * @param rule.at what the call is about; undefined for a call that does not concern the rule
 */
export const ruleAt = <At>(rule: {
  at(call: ConcernedCall): At | undefined
  reads(at: At): "head" | "body"
  check(at: At, call: PlatformCall, body: unknown): Effect.Effect<void, Refusal | BadGateway>
}): Rule => ({
  concerns: (call) => {
    const at = rule.at(call)
    return at === undefined ? "nothing" : rule.reads(at)
  },
  check: (call, body) => {
    const at = rule.at(call)
    return at === undefined ? Effect.void : rule.check(at, call, body)
  }
})
