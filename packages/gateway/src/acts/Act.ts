import type { LifecycleKind } from "@portico/contract/Events"
import type { IaasService } from "@portico/contract/IaasServices"

/**
 * The effect of a call, where its method alone does not tell it.
 *
 * - `operates`: it creates or changes something, or takes apart what can be put together again.
 * - `destroys`: afterwards something that holds data or serves is gone, or belongs to another project. It needs tier
 *   2, as a DELETE does, and a policy's `:destroy` denies it.
 * - `never`: only the platform itself or its administrators have a use for it. No tenant may call it, at any tier.
 */
export type Decision = "operates" | "destroys" | "never"

export type ActMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Methods that carry a body; DELETE needs tier 2 by itself. */
export const bodied: ReadonlyArray<ActMethod> = ["POST", "PUT", "PATCH"]
/** Every method that changes something. */
export const writing: ReadonlyArray<ActMethod> = [...bodied, "DELETE"]
export const every: ReadonlyArray<ActMethod> = ["GET", "HEAD", ...writing]

/** The part of a call that the table looks at. */
export interface Called {
  readonly method: string
  /** `network`, `compute`, ... */
  readonly service: string
  /**
   * The canonical path below the service, without the optional project id of compute and volume: `["servers",
   * "detail"]`. Characters that need no encoding are never encoded, so segments can be compared as they are.
   */
  readonly segments: ReadonlyArray<string>
  /** Decoded; a repeated key keeps all its values. */
  readonly query: URLSearchParams
}

export interface Act {
  /** `gateway` for first-class routes, whose path is the declared one. */
  readonly service: IaasService | "kubernetes" | "gateway"
  readonly methods: ReadonlyArray<ActMethod>
  /** Below the service: literal segments, `*` for one segment, and `**` at the end for any rest, including none. */
  readonly path: string
  /** The one key of the JSON body that names the act, for a path with several acts. */
  readonly key?: string
  readonly decision: Decision
  /** The call is the act only when this holds for its JSON body; otherwise it operates. */
  readonly inBody?: (body: unknown, segments: ReadonlyArray<string>) => boolean
  /** The same for the query. */
  readonly inQuery?: (query: URLSearchParams) => boolean
  /** The event that a successful call publishes to the billing ledger. An act without one does not affect billing. */
  readonly kind?: LifecycleKind
  readonly why: string
  /** The upstream document that describes the act. */
  readonly source: string
}

/** Reasons that several services share. */
export const limits = "the limits of a tenant are set by the platform, from its tier"
export const catalogue = "the catalogue is the same for all tenants"

/**
 * Makes constructors for the acts of one service.
 *
 * @param reference the common beginning of the addresses of the service's API reference sections
 */
export const actsOf = (service: Act["service"], reference: string) => {
  const act = (decision: Decision, methods: Act["methods"], path: string, why: string, section: string): Act => ({
    service,
    methods,
    path,
    decision,
    why,
    source: `${reference}${section}`
  })
  const never = (path: string, why: string, section: string, methods: Act["methods"] = every): Act =>
    act("never", methods, path, why, section)
  return { act, never }
}

/** The acts of one path, where the only key of the JSON body names the act. */
export interface Actions extends Pick<Act, "service" | "path" | "source"> {
  readonly operates: ReadonlyArray<string | readonly [key: string, kind: LifecycleKind]>
  readonly others: ReadonlyArray<
    Pick<Act, "decision" | "inBody" | "kind" | "why"> & { readonly keys: string; readonly source?: string }
  >
}

export const actionsOf = ({ operates, others, path, service, source }: Actions): ReadonlyArray<Act> => [
  ...operates.map((named): Act => {
    const [key, kind] = typeof named === "string" ? [named] : named
    return {
      service,
      methods: ["POST"],
      path,
      key,
      decision: "operates",
      ...(kind === undefined ? {} : { kind }),
      why: "nothing is gone afterwards",
      source
    }
  }),
  ...others.flatMap(({ keys, ...act }) =>
    keys.split(" ").map((key): Act => ({ service, methods: ["POST"], path, key, source, ...act }))
  )
]
