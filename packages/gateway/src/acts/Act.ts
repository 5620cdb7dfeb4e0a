import type { LifecycleKind } from "@portico/contract/Events"
import type { IaasService } from "@portico/contract/IaasServices"

/**
 * What a call comes to that its method does not tell.
 *
 * - `operates`: it creates, changes, or takes apart what can be put together again.
 * - `destroys`: something that holds data or serves is gone afterwards, or is another project's. It needs tier 2, as a
 *   DELETE does, and is what a policy's `:destroy` denies.
 * - `never`: only the platform itself, or its administrators, have a use for it. No tenant has it, at any tier.
 */
export type Decision = "operates" | "destroys" | "never"

export type ActMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Methods that carry a body; DELETE needs tier 2 by itself. */
export const bodied: ReadonlyArray<ActMethod> = ["POST", "PUT", "PATCH"]
/** Everything that changes something. */
export const writing: ReadonlyArray<ActMethod> = [...bodied, "DELETE"]
export const every: ReadonlyArray<ActMethod> = ["GET", "HEAD", ...writing]

/** What of a call the table is asked about. */
export interface Called {
  readonly method: string
  /** `network`, `compute`, ... */
  readonly service: string
  /**
   * The canonical path below the service, without the optional project id of
   * compute and volume: `["servers", "detail"]`. Characters that need no
   * encoding are never encoded, so that words can be compared as they are.
   */
  readonly segments: ReadonlyArray<string>
  /** Decoded; a repeated key keeps all its values. */
  readonly query: URLSearchParams
}

export interface Act {
  /** `gateway` for first-class routes, whose path is the declared one. */
  readonly service: IaasService | "kubernetes" | "gateway"
  readonly methods: ReadonlyArray<ActMethod>
  /** Below the service: words, `*` for one segment, and `**` at the end for whatever follows, if anything. */
  readonly path: string
  /** The one key of the JSON body that names the act, where a path has many. */
  readonly key?: string
  readonly decision: Decision
  /** Only a call whose JSON body this holds for is the act; the others operate. */
  readonly inBody?: (body: unknown, segments: ReadonlyArray<string>) => boolean
  /** The same of the query. */
  readonly inQuery?: (query: URLSearchParams) => boolean
  /** What a good answer is told of to the billing ledger; the acts without one change no billable life. */
  readonly kind?: LifecycleKind
  readonly why: string
  /** Where the upstream says what it does. */
  readonly source: string
}

/** Reasons that several services have. */
export const limits = "the limits of a tenant are set by the platform, from its tier"
export const catalogue = "the catalogue is the same for all tenants"

/**
 * How the acts of one service are written down, a line each.
 *
 * @param reference what the address of each section of the service's API reference begins with
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

/** The acts of one path whose JSON body names one of them by its only key. */
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
