import type { PermissionTier } from "@portico/contract/Access"
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

/**
 * The areas, besides the service's own, whose things a call reads, makes, changes or deletes. A policy that denies one
 * of them denies the call, by the tier that stands here; `as called` is the tier that the call itself needs.
 */
export type Areas = Readonly<Partial<Record<IaasService, PermissionTier | "as called">>>

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
  readonly service: IaasService | "kubernetes"
  readonly methods: ReadonlyArray<ActMethod>
  /** Below the service: literal segments, `*` for one segment, and `**` at the end for any rest, including none. */
  readonly path: string
  /** The one key of the JSON body that names the act, for a path with several acts. */
  readonly key?: string
  /** The member of the body that makes the call the act, where a failure detail has to name it. */
  readonly field?: string
  /** Absent where the method tells the effect. */
  readonly decision?: Decision
  readonly actsOn?: Areas
  /** Whether it gives another project access to something of the caller's. An agent does not: see `gifts`. */
  readonly gives?: boolean
  /** The call is the act only when this holds for its JSON body; otherwise the method tells its effect. */
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

/** Why an act has its effect, the section of the API reference that describes it, and its event for the billing ledger. */
type NamedAct = readonly [why: string, section?: string, kind?: LifecycleKind | undefined]

/** The acts of one path, where the only key of the JSON body names the act. */
export interface NamedActs {
  readonly operates?: ReadonlyArray<string | readonly [key: string, kind: LifecycleKind]>
  readonly destroys?: Readonly<Record<string, NamedAct>>
  readonly never?: Readonly<Record<string, NamedAct>>
  /** The areas that acts named above are of besides the service's own. */
  readonly actsOn?: Readonly<Record<string, Areas>>
}

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
  /** Calls whose method tells their effect, and that act on things of other areas. */
  const on = (
    actsOn: Areas,
    path: string,
    why: string,
    section: string,
    methods: Act["methods"] = every,
    inBody?: Act["inBody"]
  ): Act => ({
    service,
    methods,
    path,
    actsOn,
    why,
    source: `${reference}${section}`,
    ...(inBody === undefined ? {} : { inBody })
  })
  const gives = (path: string, why: string, section: string, methods: Act["methods"], inBody?: Act["inBody"]): Act => ({
    ...on({}, path, why, section, methods, inBody),
    gives: true
  })
  const never = (path: string, why: string, section: string, methods: Act["methods"] = every): Act =>
    act("never", methods, path, why, section)

  /** @param section describes the acts that name no section of their own */
  const actions = (path: string, section: string, named: NamedActs): ReadonlyArray<Act> => {
    const of =
      (decision: Decision) =>
      ([key, [why, own = section, kind]]: readonly [string, NamedAct]): Act => ({
        ...act(decision, ["POST"], path, why, own),
        key,
        ...(named.actsOn?.[key] === undefined ? {} : { actsOn: named.actsOn[key] }),
        ...(kind === undefined ? {} : { kind })
      })
    const operates = (named.operates ?? []).map((_) => {
      const [key, kind] = typeof _ === "string" ? [_] : _
      return of("operates")([key, ["nothing is gone afterwards", section, kind]])
    })
    return [
      ...operates,
      ...Object.entries(named.destroys ?? {}).map(of("destroys")),
      ...Object.entries(named.never ?? {}).map(of("never"))
    ]
  }
  return { act, actions, gives, never, on }
}
